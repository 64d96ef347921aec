"""The monitor off and on by X11's DPMS extension; where it has none, nothing happens.

By Xlib itself, through ctypes: SDL can only leave a monitor to the desktop's own power saving, and not wake
it. https://www.x.org/releases/current/doc/libXext/dpmslib.html
"""

from __future__ import annotations

import ctypes
import logging

log = logging.getLogger(__name__)

ON, OFF = 0, 3
"""DPMSModeOn and DPMSModeOff."""


class Monitor:
    """Has a connection to the X server of its own: to be opened before new ones are refused."""

    def __init__(self) -> None:
        """Where there is no X server, no library or no extension, it is told, and all else does nothing."""
        self._display: int | None = None
        self._is_on = True
        try:
            self._x11, self._xext = _library("libX11.so.6"), _library("libXext.so.6")
        except OSError as error:
            log.warning("display: the monitor cannot be switched off: %s", error)
            return
        self._x11.XOpenDisplay.restype = ctypes.c_void_p
        self._x11.XOpenDisplay.argtypes = (ctypes.c_char_p,)
        self._x11.XFlush.argtypes = self._x11.XCloseDisplay.argtypes = (ctypes.c_void_p,)
        number = ctypes.POINTER(ctypes.c_int)
        self._xext.DPMSQueryExtension.argtypes = (ctypes.c_void_p, number, number)
        self._xext.DPMSCapable.argtypes = self._xext.DPMSEnable.argtypes = (ctypes.c_void_p,)
        self._xext.DPMSForceLevel.argtypes = (ctypes.c_void_p, ctypes.c_ushort)
        display = self._x11.XOpenDisplay(None)
        first = ctypes.c_int(), ctypes.c_int()
        known = display and self._xext.DPMSQueryExtension(display, *map(ctypes.byref, first))
        if known and self._xext.DPMSCapable(display):
            self._display = display
            return
        if display:
            self._x11.XCloseDisplay(display)
        log.warning("display: the monitor cannot be switched off: the X server has no DPMS")

    @property
    def can_switch(self) -> bool:
        """Whether it will do anything."""
        return self._display is not None

    def switch(self, *, on: bool) -> None:
        """On or off. Call as often as you like: a change is sent once."""
        if self._display is None or on == self._is_on:
            return
        self._xext.DPMSEnable(self._display)
        self._xext.DPMSForceLevel(self._display, ON if on else OFF)
        self._x11.XFlush(self._display)
        self._is_on = on

    def close(self) -> None:
        """On again, and let go of."""
        if self._display is not None:
            self.switch(on=True)
            self._x11.XCloseDisplay(self._display)
            self._display = None


def _library(name: str) -> ctypes.CDLL:
    return ctypes.CDLL(name)
