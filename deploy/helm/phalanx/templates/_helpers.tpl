{{/* The prefix of all names: RELEASE-phalanx, or RELEASE where it says phalanx already. */}}
{{- define "phalanx.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "phalanx.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "phalanx.labels" -}}
{{ include "phalanx.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: scheduler
app.kubernetes.io/part-of: phalanx
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | quote }}
{{- end -}}

{{- define "phalanx.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "phalanx.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "phalanx.leaseName" -}}
{{- $name := default (printf "%s-scheduler" (include "phalanx.fullname" .)) .Values.scheduler.leaderElection.leaseName -}}
{{- if eq $name "kube-scheduler" -}}
{{- fail "scheduler.leaderElection.leaseName: \"kube-scheduler\" is the lease of the cluster's own scheduler, choose another name" -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{/* An image name. Called with a dict of root and image. */}}
{{- define "phalanx.image" -}}
{{- $registry := .root.Values.image.registry | trimSuffix "/" -}}
{{- $name := .image.repository -}}
{{- if $registry -}}{{- $name = printf "%s/%s" $registry $name -}}{{- end -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default .root.Chart.AppVersion .root.Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* The security context of both containers: Pod Security "restricted". */}}
{{- define "phalanx.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* What the process would refuse in the pod's first second is refused here. */}}
{{- define "phalanx.check" -}}
{{- if and (gt (int .Values.replicaCount) 1) (not .Values.scheduler.leaderElection.enabled) -}}
{{- fail (printf "replicaCount: %d without scheduler.leaderElection.enabled would let two schedulers bind the same pods" (int .Values.replicaCount)) -}}
{{- end -}}
{{- if and .Values.alias.enabled (eq .Values.alias.schedulerName .Values.schedulerName) -}}
{{- fail (printf "alias.schedulerName: %q is schedulerName already" .Values.alias.schedulerName) -}}
{{- end -}}
{{- if eq .Values.schedulerName "default-scheduler" -}}
{{- fail "schedulerName: \"default-scheduler\" belongs to the cluster's own scheduler, choose another name" -}}
{{- end -}}
{{- end -}}

{{/* One profile. Called with a dict of root and schedulerName. */}}
{{- define "phalanx.profile" -}}
- schedulerName: {{ .schedulerName }}
  plugins:
    # Through multiPoint the plugin comes after all default plugins: its PreBind is the last one, so
    # that a gang's binds start only when all slow work is done.
    multiPoint:
      enabled:
      - name: Phalanx
        weight: {{ int .root.Values.scheduler.scoreWeight }}
      disabled:
      # Preemption of single members tears gangs apart.
      - name: DefaultPreemption
      # Phalanx binds, so that its barrier can't be passed by.
      - name: DefaultBinder
    # Named here it comes first: DynamicResources ends the chain with an error where its PreFilter
    # has not run.
    postFilter:
      enabled:
      - name: Phalanx
  pluginConfig:
  - name: Phalanx
    args:
      brainSocket: /run/phalanx/private/phalanxd.sock
      # Until the brain has said what it holds.
      heldResources:
      {{- toYaml .root.Values.accelerators | nindent 6 }}
      {{- with .root.Values.scheduler.pluginArgs }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
{{- end -}}
