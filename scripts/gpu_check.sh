#!/bin/sh
# Everything that needs a GPU, in one table, in under four minutes.   scripts/gpu_check.sh
set -eu
here="$(dirname "$0")"
if ! { command -v nvidia-smi >/dev/null && nvidia-smi >/dev/null 2>&1; }; then
    echo "gpu_check: no GPU here (nvidia-smi does not answer), so there is nothing to check"
    exit 0
fi
"$here/setup" gpu
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
exec "${KIOSK_VENV:-$here/../.venv}/bin/python" -B "$here/gpu_check.py"
