#!/bin/sh
# Programs the suite drives that are not Python packages. Installed when they are missing and we may.
set -eu
missing=""
command -v tesseract >/dev/null 2>&1 && tesseract --list-langs 2>/dev/null | grep -qx spa \
    || missing="$missing tesseract-ocr tesseract-ocr-spa"
# Programs that only one target needs are named by it.
for program in "$@"; do
    command -v "$program" >/dev/null 2>&1 || missing="$missing $program"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing system packages:$missing"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } >/dev/null \
        || echo "They could not be installed; tests that need them are skipped and say so." >&2
else
    echo "Missing system packages:$missing" >&2
    echo "Install them as administrator (for example: sudo apt-get install$missing); tests that need them are skipped." >&2
fi
