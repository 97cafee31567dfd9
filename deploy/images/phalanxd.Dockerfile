# The brain. From the root of the repository:
#   docker build -f deploy/images/phalanxd.Dockerfile -t phalanxd:0.1.0 .
FROM debian:12 AS build
WORKDIR /src
COPY scripts/setup.sh scripts/env.sh scripts/
RUN scripts/setup.sh
COPY . .
RUN scripts/build.sh cpp && strip build/bin/phalanxd

FROM debian:12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      libgrpc++1.51 libprotobuf32 libabsl20220623 libspdlog1.10 libfmt9 \
      libprometheus-cpp-core1.0 libprometheus-cpp-pull1.0 libcivetweb1 libyaml-cpp0.7 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/build/bin/phalanxd /usr/local/bin/phalanxd
# A library that is missing in the list above shows here, not in the cluster.
RUN ["/usr/local/bin/phalanxd", "--version"]
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/phalanxd"]
