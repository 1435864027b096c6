"""Hosts as network namespaces of this machine, joined by a network with delay, loss and a limited rate, which may be cut.

Each host has a TUN device; a process of its own (this file, run as a program) carries the packets between them, each late by the
delay, some of them lost, at most so many bits a second from each host. So it needs neither netem nor a change of this machine's own
network, but root. A host has a name of its own (a UTS namespace) and sees the files of the machine.
"""
import ctypes
import fcntl
import heapq
import os
import pathlib
import random
import select
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN_WITHOUT_HEADER = 0x400454CA, 0x1001
MTU = 1500
LONGEST_QUEUE_SECONDS = 0.2  # of a host's sending; what comes beyond is lost, as at a router


def missing():
    """What stands in the way, or an empty string."""
    if os.geteuid() != 0:
        return "namespaces are made by root"
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as error:
        return f"no TUN devices: {error}"
    done = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"no network namespaces: {done.stderr}"


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def address(host):
    return f"10.77.0.{host}"


class LossyNetwork:
    """with LossyNetwork(folder, hosts=4) as network: network.command(1, [...])"""

    def __init__(self, folder, hosts=4, delay=0.02, loss=0.01, bits=100e6, seed=1):
        self.folder, self.hosts = pathlib.Path(folder), range(1, hosts + 1)
        self.names = {host: f"kg{os.getpid()}h{host}" for host in self.hosts}
        self.settings = [str(delay), str(loss), str(bits), str(seed)]
        self.cut_file = self.folder / "cut"
        self.carrier = None

    def __enter__(self):
        for name in self.names.values():
            ip("netns", "add", name)
        log = open(self.folder / "network.log", "ab")
        self.carrier = subprocess.Popen([sys.executable, __file__, str(self.cut_file), *self.settings, *self.names.values()],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        if self.carrier.stdout.readline() != b"ready\n":
            raise RuntimeError(f"the network does not start: {(self.folder / 'network.log').read_text()}")
        for host, name in self.names.items():
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "addr", "add", f"{address(host)}/24", "dev", "kg0")
            ip("-n", name, "link", "set", "kg0", "mtu", str(MTU), "up")
        return self

    def __exit__(self, *ignored):
        if self.carrier is not None:
            self.carrier.terminate()
            self.carrier.wait()
        for name in self.names.values():
            subprocess.run(["ip", "netns", "del", name], check=False)

    def command(self, host, words):
        """The words of a command that runs them on the host."""
        inner = f'hostname host{host} && exec "$@"'
        return ["ip", "netns", "exec", self.names[host], "unshare", "--uts", "sh", "-c", inner, "sh", *map(str, words)]

    def cut(self, hosts):
        """Nothing reaches or leaves these hosts from now on; an empty list: all is well again."""
        new = self.cut_file.with_suffix(".new")
        new.write_text(" ".join(map(str, hosts)))
        new.rename(self.cut_file)


def open_device(namespace):
    """A TUN device kg0 in the namespace; its descriptor works from any."""
    libc = ctypes.CDLL(None, use_errno=True)
    here = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(f"/var/run/netns/{namespace}", os.O_RDONLY)
    if libc.setns(there, 0) != 0:
        raise OSError(ctypes.get_errno(), "setns")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"kg0", IFF_TUN_WITHOUT_HEADER))
    libc.setns(here, 0)
    os.close(there)
    os.close(here)
    return device


def carry(cut_file, delay, loss, bits, seed, namespaces):
    draw = random.Random(seed)
    devices = {host: open_device(name) for host, name in enumerate(namespaces, 1)}
    host_of = {device: host for host, device in devices.items()}
    print("ready", flush=True)
    waiting, number, free_at, cut, looked = [], 0, dict.fromkeys(devices, 0.0), set(), 0.0
    while True:
        now = time.monotonic()
        if now > looked + 0.1:
            looked = now
            cut = set(map(int, cut_file.read_text().split())) if cut_file.exists() else set()
        while waiting and waiting[0][0] <= now:
            _, _, device, packet = heapq.heappop(waiting)
            try:
                os.write(device, packet)
            except OSError:
                pass  # its host is going
        pause = min(0.1, waiting[0][0] - now) if waiting else 0.1
        readable, _, _ = select.select(host_of, [], [], max(0, pause))
        for device in readable:
            host = host_of[device]
            for _ in range(64):
                try:
                    packet = os.read(device, 65536)
                except OSError:
                    break
                target = packet[19] if len(packet) >= 20 and packet[0] >> 4 == 4 and packet[16:19] == b"\x0a\x4d\x00" else 0
                now = time.monotonic()
                start = max(now, free_at[host])
                if target not in devices or start - now > LONGEST_QUEUE_SECONDS:
                    continue
                free_at[host] = start + len(packet) * 8 / bits
                if draw.random() < loss or host in cut or target in cut:
                    continue
                number += 1
                heapq.heappush(waiting, (free_at[host] + delay, number, devices[target], packet))


if __name__ == "__main__":
    carry(pathlib.Path(sys.argv[1]), *map(float, sys.argv[2:5]), int(sys.argv[5]), sys.argv[6:])
