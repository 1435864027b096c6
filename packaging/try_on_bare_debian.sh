#!/usr/bin/env bash
# Shows that the Debian package or the container image stands alone: on a bare root, with no checkout in sight, it judges a kernel and
# trains for three steps.
#   packaging/try_on_bare_debian.sh FILE.deb MODEL_FOLDER [ROOT]
#   packaging/try_on_bare_debian.sh --image ROOT
# MODEL_FOLDER: smollm2-135m-instruct as scripts/setup.sh fetched it. ROOT: a bare Debian 12 root to use, made by mmdebstrap if it is not
# there; of an image, where its files are (`buildah mount`). Needs root, and mmdebstrap for a root to be made; only apt uses the network.
# Takes 3 GB of disk and a few minutes.
set -euo pipefail
if [ "$1" = --image ]; then
  root=$(realpath "$2")
  rm -f "$root/kgtrain.deb"
else
  deb=$(realpath "$1") model=$(realpath "$2") root=${3:-$(mktemp -d)/root}
  [ -d "$root/usr" ] || mmdebstrap --variant=minbase --include=ca-certificates bookworm "$root"
  mkdir -p "$root/root/.kgtrain/models"
  cp "$deb" "$root/kgtrain.deb"
  cp -rL "$model" "$root/root/.kgtrain/models/smollm2-135m-instruct"
fi
cat >"$root/try.sh" <<'INSIDE'
set -euo pipefail
export HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
say() { printf '== [%d s] %s\n' $SECONDS "$*"; }
if [ -e /kgtrain.deb ]; then
  say "apt-get install ./kgtrain.deb"
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends /kgtrain.deb python3 man-db >/apt.log 2>&1 || { tail -n 20 /apt.log; exit 1; }
else
  export KGTRAIN_HOME=/data  # as the image sets it
fi
say "what it brings"
kgtrain --version
dpkg-query -W -f '${Package} ${Version} ${Installed-Size} kB\n${Depends}\n' kgtrain
ldd /usr/bin/kgtrain-learner | grep -E 'torch|c10|gomp'
kgtrain doctor || true
say "data build: every kernel is judged"
kgtrain data build --out /data.h5 --samples 24 --seed 5 --quiet
say "judge one kernel"
kgtrain data export /data.h5 --form huggingface --out /exported
python3 - <<'PYTHON'
import glob, json
rows = [json.loads(line) for file in glob.glob("/exported/data/*.jsonl") for line in open(file)]
row = next(row for row in rows if row["kind"] == "kernel")
open("/answer.md", "w").write(row["output"])
open("/task", "w").write(row["task"])
open("/language", "w").write("dsl" if "```dsl" in row["output"] else "ascendc")
PYTHON
kgtrain judge --data /data.h5 --task "$(cat /task)" --kernel /answer.md --language "$(cat /language)" | head -n 8
say "sft for three steps"
kgtrain sft --data /data.h5 --steps 3 --batch-tokens 512 --sequence-length 4096 --out three
kgtrain runs
say "done"
INSIDE
# A separate root, not a chroot: bubblewrap pivots inside it.
unshare --mount --pid --fork bash -c '
  set -e
  mount --make-rprivate /
  mount --bind "$0" "$0"
  cd "$0"
  mkdir -p old proc sys dev tmp
  mount -t proc proc proc
  mount --rbind /sys sys
  mount --rbind /dev dev
  [ -L etc/resolv.conf ] || { touch etc/resolv.conf; mount --bind /etc/resolv.conf etc/resolv.conf; }
  pivot_root . old
  umount -l old
  exec bash /try.sh' "$root"
