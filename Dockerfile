# The command in a small image: docker build -t weft . && docker run --rm -v "$PWD:/data" -w /data weft scan motifs.txt proteins.fa
# The program is linked statically but for libc (scripts/static_build.sh). Without a CUDA toolkit in the first stage it is built for the CPU alone:
# give --build-arg BUILD_IMAGE=nvidia/cuda:13.0.0-devel-ubuntu24.04 --build-arg RUN_IMAGE=ubuntu:24.04 for one that also runs on GPUs.
# This file has not been built by the project's own tests, which have no container runtime.
ARG BUILD_IMAGE=debian:12
ARG RUN_IMAGE=debian:12-slim

FROM ${BUILD_IMAGE} AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates dpkg-dev g++ git make
COPY . /weft
WORKDIR /weft
RUN make deb

FROM ${RUN_IMAGE}
COPY --from=build /weft/build/deb/weft_*.deb /tmp/weft.deb
RUN dpkg -i /tmp/weft.deb && rm /tmp/weft.deb
ENTRYPOINT ["weft"]
