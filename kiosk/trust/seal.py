"""The seal: takes away, for good, this process's right to store and to send, and says what holds.

In: what the piece needs. Out: the layers in force, and what the kernel answered to every way of storing
and sending. Call `seal` before a library is imported or a thread started, and `Seal.shut` when the
display is open and before the first frame. Linux on x86-64 and aarch64; elsewhere nothing is in force.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from kiosk.errors import SealError
from kiosk.trust import calls, kernel, landlock, limits, seccomp, selftest
from kiosk.trust.selftest import Attempt, Scope

# Those that a stream of a scheme may use where its address names none: http answers may lead to https.
PORTS = {"http": (80, 443), "https": (80, 443), "rtmp": (1935,), "rtsp": (554,), "rtsps": (322,)}
DOMAIN = 53


@dataclass(frozen=True)
class Policy:
    """What is needed, and therefore left."""

    required: bool = True
    """Whether a gap is an error. Else it is told, on the console and on the wall."""
    display: str = ""
    """"x11" or "wayland", to which the piece is to connect; "" for none, or straight to the screen."""
    ports: tuple[int, ...] = ()
    """The TCP ports of the configured stream; () where the source is none: then there is no network."""
    notify: int | None = None
    """The descriptor of the socket to systemd (trust/notify.py), which stays open until the end."""


@dataclass(frozen=True)
class Layer:
    """One of the walls."""

    name: str
    in_force: bool
    needed: bool
    """Whether the policy wants it."""
    detail: str
    """What it does here, or why it does not."""


@dataclass(frozen=True)
class Seal:
    """What holds."""

    policy: Policy
    layers: tuple[Layer, ...]
    attempts: tuple[Attempt, ...]
    """What was tried, and what the kernel answered; () where there is no seal to try."""

    @property
    def gaps(self) -> tuple[str, ...]:
        """What is missing or was not refused, one line each."""
        missing = [f"{it.name}: {it.detail}" for it in self.layers if it.needed and not it.in_force]
        failed = [f"{it.layer}: could {it.what}: {it.answer}" for it in self.attempts if not it.refused]
        return (*missing, *failed)

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the layers that are not in force, or did not refuse what they must."""
        failed = {it.layer for it in self.attempts if not it.refused}
        return tuple(sorted(self._missing | failed))

    @property
    def can_store(self) -> bool:
        """Whether this process could keep a picture or a word, as far as was tried."""
        return self._can(selftest.STORE) or bool(self._missing - {CONNECTIONS})

    @property
    def can_send(self) -> bool:
        """Whether it could send one to another program or machine but the display.

        True with a stream, to whose port it may connect, and before `shut`.
        """
        if self.policy.ports or CONNECTIONS not in {layer.name for layer in self.layers}:
            return True
        return self._can(selftest.SEND) or bool(self._missing & {CONNECTIONS, SECCOMP, DESCRIPTORS})

    def shut(self) -> Seal:
        """Refuse every new connection to a program of this machine; with what holds then.

        Call when the display is open. Raises SealError where it is required and fails.
        """
        if CONNECTIONS in {layer.name for layer in self.layers}:
            return self
        scope = Scope(None, memfd=False, tcp=bool(self.policy.ports), other_port=None)
        layer = _apply(CONNECTIONS, _shut, self.policy, scope)
        rows = selftest.after_shut(self.policy.notify)
        attempts = selftest.run(rows) if kernel.machine() else ()
        return _checked(replace(self, layers=(*self.layers, layer), attempts=(*self.attempts, *attempts)))

    def tried_again(self) -> Seal:
        """The same with every way tried anew: after the libraries were loaded and the threads started."""
        scope = Scope(None, self.policy.display == "wayland", bool(self.policy.ports), None)
        rows = (*selftest.after_seal(scope), *selftest.after_shut(self.policy.notify))
        return replace(self, attempts=selftest.run(rows) if kernel.machine() else ())

    @property
    def _missing(self) -> set[str]:
        return {layer.name for layer in self.layers if layer.needed and not layer.in_force}

    def _can(self, purpose: str) -> bool:
        tried = [attempt for attempt in self.attempts if attempt.purpose == purpose]
        return not tried or not all(attempt.refused for attempt in tried)


def seal(policy: Policy, layers: Sequence[str] | None = None) -> Seal:
    """Take the rights away. For good: no process can undo it, also not root's.

    `layers` names those to put in force; without it all are. Raises SealError where the seal is required
    and has a gap.
    """
    scope, names = _scope(policy), tuple(LAYERS) if layers is None else layers
    states = tuple(_apply(name, LAYERS[name], policy, scope) for name in LAYERS if name in names)
    if policy.ports:
        # A name server is asked by TCP: there is no UDP (resolv.conf(5)).
        os.environ["RES_OPTIONS"] = "use-vc"
    attempts = selftest.run(selftest.after_seal(scope)) if kernel.machine() else ()
    if scope.open_file is not None:
        os.close(scope.open_file)
    sealed = _checked(Seal(policy, states, attempts))
    return sealed if policy.display else sealed.shut()


def display(environment: Mapping[str, str]) -> str:
    """What SDL is going to connect to: X11 before Wayland, unless it was told otherwise."""
    asked = environment.get("SDL_VIDEODRIVER", "")
    if asked:
        return next((name for name in ("wayland", "x11") if name in asked), "")
    if environment.get("DISPLAY"):
        return "x11"
    return "wayland" if environment.get("WAYLAND_DISPLAY") else ""


def ports(source: str) -> tuple[int, ...]:
    """The TCP ports that a stream's URL needs, and a name server's; () for every other source."""
    if "://" not in source:
        return ()
    try:
        address = urlsplit(source)
        own = (address.port,) if address.port else PORTS.get(address.scheme, ())
    except ValueError:  # no address, or no number; the stream's own opening says so
        own = ()
    return tuple(sorted({*own, DOMAIN}))


def _checked(sealed: Seal) -> Seal:
    if sealed.policy.required and sealed.gaps:
        raise SealError(
            f"seal: not whole, and nothing was opened: {'; '.join(sealed.gaps)}. "
            "Mend that, or set privacy.seal: best-effort; the wall then says what is missing"
        )
    return sealed


def _apply(name: str, layer: Callable[[Policy, Scope], str], policy: Policy, scope: Scope) -> Layer:
    if not kernel.machine():
        return Layer(name, False, True, f"not on {sys.platform}; Linux on x86-64 and aarch64 has it")
    if name == FILE_SIZE and (reason := _why_no_limit(policy)):
        return Layer(name, False, False, reason)
    try:
        return Layer(name, True, True, layer(policy, scope))
    except OSError as error:
        return Layer(name, False, True, str(error.strerror))


def _why_no_limit(policy: Policy) -> str:
    if policy.display == "wayland":
        return "left out: a Wayland window is drawn into a file in memory"
    if limits.output_is_a_file():
        return "left out: what is printed goes to a file"
    return ""


def _scope(policy: Policy) -> Scope:
    if not kernel.machine():
        return Scope(None, memfd=False, tcp=False, other_port=None)
    open_file = None if _why_no_limit(policy) else os.memfd_create("seal", os.MFD_CLOEXEC)
    other_port = None
    with suppress(OSError):  # then the layer says why
        if policy.ports and landlock.abi() >= landlock.PORTS_ABI:
            other_port = next(port for port in range(9, 65536) if port not in policy.ports)
    return Scope(open_file, policy.display == "wayland", bool(policy.ports), other_port)


def _landlock(policy: Policy, scope: Scope) -> str:
    # libxcb connects to X11 by its abstract name first, and some versions try no other.
    return landlock.restrict(policy.ports, abstract_sockets=policy.display == "x11")


def _seccomp(policy: Policy, scope: Scope) -> str:
    seccomp.install(seccomp.main_filter(kernel.machine(), tcp=scope.tcp, memfd=scope.memfd))
    sockets = "Unix, netlink" + (", TCP to connect" if scope.tcp else "")
    return f"{len(calls.REFUSED)} system calls refused; sockets: {sockets}"


def _shut(policy: Policy, scope: Scope) -> str:
    seccomp.install(seccomp.closing_filter(kernel.machine(), tcp=scope.tcp, notify=policy.notify))
    text = "no new connection to another program of this machine"
    return text if policy.notify is None else f"{text}; the socket to systemd keeps to it"


FILE_SIZE, SECCOMP, DESCRIPTORS, CONNECTIONS = "file size", "seccomp", "descriptors", "connections"
# In this order: seccomp refuses what the others are put in force with.
LAYERS: dict[str, Callable[[Policy, Scope], str]] = {
    DESCRIPTORS: lambda policy, scope: limits.close_inherited(scope.open_file),
    "core file": lambda policy, scope: limits.no_core(),
    FILE_SIZE: lambda policy, scope: limits.no_file_bytes(),
    "memory": lambda policy, scope: limits.not_dumpable(),
    "privileges": lambda policy, scope: limits.no_new_privileges(),
    "Landlock": _landlock,
    SECCOMP: _seccomp,
}
