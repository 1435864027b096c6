#!/bin/sh
# An install that was moved runs where nobody sees the checkout.   install_test.sh BUILD_FOLDER SOURCE_FOLDER
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$1" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/moved"
python3 "$2/scripts/check_docs.py" "$folder/moved/share/doc"
diff -r "$2/sandbox/pytorch/include" "$folder/moved/share/kgtrain/pytorch/include"
cat >"$folder/try.sh" <<INSIDE
set -eu
export KGTRAIN_HOME=$folder/home
cd "$folder"
if [ -e "$2/CMakeLists.txt" ]; then echo "the checkout is still in sight"; exit 1; fi
ldd moved/bin/kgtrain-learner >libraries
grep -q "libtorch_cpu.so => $folder/moved" libraries || { cat libraries; exit 1; }
if grep "not found" libraries; then exit 1; fi
moved/bin/kgtrain data build --out some.h5 --samples 2 --seed 3 --quiet
moved/bin/kgtrain data check some.h5 --samples 1
moved/bin/kgtrain generate --model none --prompt x 2>said && exit 1
grep -q 'no model "none"' said
grep -q '"SHA-256"' moved/share/doc/kgtrain/sbom.cdx.json
man -l moved/share/man/man1/kgtrain-judge.1 2>/dev/null | grep -q -- --kernel || test ! -x /usr/bin/man
INSIDE
if [ "$(id -u)" -ne 0 ]; then echo "hiding the checkout wants root"; exit 77; fi
unshare --mount sh -c "mount -t tmpfs none '$2' && exec sh '$folder/try.sh'"
