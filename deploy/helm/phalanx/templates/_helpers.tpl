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

{{/* Refuses a text that does not match, in words: a schema would show the pattern. Called with a dict
of key, value, pattern and expected. */}}
{{- define "phalanx.expect" -}}
{{- if not (regexMatch .pattern .value) -}}
{{- fail (printf "%s: %q, expected %s" .key .value .expected) -}}
{{- end -}}
{{- end -}}

{{- define "phalanx.expectDuration" -}}
{{- include "phalanx.expect" (dict "key" .key "value" .value "pattern" "^([0-9]+([.][0-9]+)?(ms|s|m|h))+$" "expected" "a duration such as 500ms, 90s or 2h30m") -}}
{{- end -}}

{{- define "phalanx.expectSchedulerName" -}}
{{- include "phalanx.expect" (dict "key" .key "value" .value "pattern" "^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$" "expected" "a name of a-z, 0-9, - and ., at most 63 characters") -}}
{{- end -}}

{{/* Texts that a schema can only check by a pattern. */}}
{{- define "phalanx.checkTexts" -}}
{{- include "phalanx.expectSchedulerName" (dict "key" "schedulerName" "value" .Values.schedulerName) -}}
{{- include "phalanx.expectSchedulerName" (dict "key" "alias.schedulerName" "value" .Values.alias.schedulerName) -}}
{{- range $key := list "leaseDuration" "renewDeadline" "retryPeriod" -}}
{{- include "phalanx.expectDuration" (dict "key" (print "scheduler.leaderElection." $key) "value" (get $.Values.scheduler.leaderElection $key)) -}}
{{- end -}}
{{- include "phalanx.expectDuration" (dict "key" "serviceMonitor.interval" "value" .Values.serviceMonitor.interval) -}}
{{- range $name, $map := dict "brain.extraConfig" .Values.brain.extraConfig "scheduler.pluginArgs" .Values.scheduler.pluginArgs -}}
{{- range $key, $value := $map -}}
{{- if kindIs "string" $value -}}
{{- include "phalanx.expectDuration" (dict "key" (printf "%s.%s" $name $key) "value" $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range .Values.networkPolicy.apiServer.cidrs -}}
{{- include "phalanx.expect" (dict "key" "networkPolicy.apiServer.cidrs" "value" . "pattern" "^[0-9a-fA-F:.]+/[0-9]{1,3}$" "expected" "an address range such as 10.0.0.1/32") -}}
{{- end -}}
{{- end -}}

{{/* What the process would refuse in the pod's first second is refused here. */}}
{{- define "phalanx.check" -}}
{{- include "phalanx.checkTexts" . -}}
{{- if and (gt (int .Values.replicaCount) 1) (not .Values.scheduler.leaderElection.enabled) -}}
{{- fail (printf "replicaCount: %d without scheduler.leaderElection.enabled would let two schedulers bind the same pods" (int .Values.replicaCount)) -}}
{{- end -}}
{{- if and .Values.alias.enabled (eq .Values.alias.schedulerName .Values.schedulerName) -}}
{{- fail (printf "alias.schedulerName: %q is schedulerName already" .Values.alias.schedulerName) -}}
{{- end -}}
{{- if eq .Values.schedulerName "default-scheduler" -}}
{{- fail "schedulerName: \"default-scheduler\" belongs to the cluster's own scheduler, choose another name" -}}
{{- end -}}
{{- if eq (int .Values.brain.http.port) (int .Values.scheduler.https.port) -}}
{{- fail (printf "brain.http.port: %d is scheduler.https.port already, and both containers share the pod's address" (int .Values.brain.http.port)) -}}
{{- end -}}
{{- range $flag := list "config" "bind-address" "secure-port" -}}
{{- if hasKey $.Values.scheduler.extraArgs $flag -}}
{{- fail (printf "scheduler.extraArgs: --%s is set by the chart, see scheduler.https" $flag) -}}
{{- end -}}
{{- end -}}
{{- include "phalanx.checkLease" .Values.scheduler.leaderElection -}}
{{- end -}}

{{/* A moment that long after a fixed one, as text that sorts by time. */}}
{{- define "phalanx.after" -}}
{{- toDate "2006-01-02" "2006-01-02" | dateModify . | date "2006-01-02T15:04:05.000" -}}
{{- end -}}

{{/* kube-scheduler would exit with these times. Called with scheduler.leaderElection. */}}
{{- define "phalanx.checkLease" -}}
{{- if le (include "phalanx.after" .leaseDuration) (include "phalanx.after" .renewDeadline) -}}
{{- fail (printf "scheduler.leaderElection.leaseDuration: %s, expected more than renewDeadline, which is %s" .leaseDuration .renewDeadline) -}}
{{- end -}}
{{- if le (include "phalanx.after" .renewDeadline) (include "phalanx.after" .retryPeriod) -}}
{{- fail (printf "scheduler.leaderElection.renewDeadline: %s, expected more than retryPeriod, which is %s" .renewDeadline .retryPeriod) -}}
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
