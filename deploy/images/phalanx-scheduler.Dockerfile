# kube-scheduler with the plugin Phalanx. From the root of the repository:
#   docker build -f deploy/images/phalanx-scheduler.Dockerfile -t phalanx-scheduler:0.1.0 .
FROM golang:1.26-bookworm AS build
WORKDIR /src/adapter
COPY adapter/go.mod adapter/go.sum ./
RUN go mod download
COPY adapter ./
RUN version="$(awk '$1 == "k8s.io/kubernetes" {print $2; exit}' go.mod)" \
 && CGO_ENABLED=0 go build -trimpath \
      -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$version" \
      -o /out/phalanx-scheduler ./cmd/phalanx-scheduler

FROM debian:12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/phalanx-scheduler /usr/local/bin/phalanx-scheduler
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/phalanx-scheduler"]
