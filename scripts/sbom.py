#!/usr/bin/env python3
"""Writes the bill of materials of an installed kgtrain, as CycloneDX JSON.

  scripts/sbom.py --version VERSION --out FILE

The pinned wheels come from scripts/setup.sh with their SHA-256; libraries and programs of Debian with the version that is
installed here and the SHA-256 of its package as the archive's index has it (left out where the index is not at hand).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Packages that the programs link or start. setup.sh's list also has those needed for building.
DEBIAN = {
    "run": ["bubblewrap", "clang-14", "binutils", "libc6", "libstdc++6", "libclang-cpp14", "libllvm14", "libcpp-httplib0.11",
            "libhdf5-103-1", "libjemalloc2", "libpcre2-8-0", "libprotobuf32", "libseccomp2", "libspdlog1.10", "libfmt9",
            "libutf8proc2", "libxxhash0", "libzmq5", "zlib1g"],
    "build": ["cmake", "g++", "libeigen3-dev", "nlohmann-json3-dev", "libtomlplusplus-dev", "cppzmq-dev", "libgloo-dev",
              "protobuf-compiler"],
}
LICENCES = {"torch": "BSD-3-Clause", "nvidia-cuda-runtime": "LicenseRef-NVIDIA-CUDA-EULA",
            "nvidia-cuda-cupti": "LicenseRef-NVIDIA-CUDA-EULA"}


def wheels():
    """name, version, SHA-256 of the files that setup.sh fetches and an installation contains."""
    with open(os.path.join(ROOT, "scripts", "setup.sh")) as file:
        pinned = re.findall(r"fetch_wheel ([\w-]+) ([\d.]+) ([0-9a-f]{64})", file.read())
    return [one for one in pinned if one[0] in LICENCES]


def answer(words):
    try:
        return subprocess.run(words, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:  # not a Debian system
        return ""


def debian(names):
    """name -> (version, SHA-256 or None) of the packages that are installed."""
    versions = dict(line.split() for line in answer(
        ["dpkg-query", "-W", "-f", "${Package} ${Version}\\n", *names]).splitlines() if len(line.split()) == 2)
    shown = answer(["apt-cache", "show", *(f"{name}={version}" for name, version in versions.items())])
    hashes = {}
    for entry in shown.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Version|SHA256): (\S+)$", entry, re.M))
        if "SHA256" in fields:
            hashes[fields["Package"], fields["Version"]] = fields["SHA256"]
    return {name: (version, hashes.get((name, version))) for name, version in versions.items()}


def component(kind, name, version, purl, sha256=None, licence=None, scope="required"):
    one = {"type": kind, "name": name, "version": version, "purl": purl, "scope": scope, "bom-ref": purl}
    if sha256:
        one["hashes"] = [{"alg": "SHA-256", "content": sha256}]
    if licence:
        one["licenses"] = [{"license": {"name": licence} if licence.startswith("LicenseRef") else {"id": licence}}]
    return one


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", required=True)
    asked = parser.parse_args()
    parts = [component("library", name, version, f"pkg:pypi/{name}@{version}", sha256, LICENCES[name])
             for name, version, sha256 in wheels()]
    for use, names in DEBIAN.items():
        for name, (version, sha256) in debian(names).items():
            parts.append(component("library", name, version, f"pkg:deb/debian/{name}@{version}", sha256,
                                   scope="required" if use == "run" else "excluded"))
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(parts, sort_keys=True))),
        "metadata": {"component": component("application", "kgtrain", asked.version, f"pkg:generic/kgtrain@{asked.version}",
                                            licence="Apache-2.0")},
        "components": parts,
    }
    os.makedirs(os.path.dirname(os.path.abspath(asked.out)), exist_ok=True)
    with open(asked.out, "w") as file:
        json.dump(bom, file, indent=1)
        file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
