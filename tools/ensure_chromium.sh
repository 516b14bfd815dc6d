#!/bin/sh
# Makes sure there is a Chromium for the browser tests. The tests look in the same
# places: AUDIENCELAB_CHROMIUM, then these names on the path.
set -eu

if [ -n "${AUDIENCELAB_CHROMIUM:-}" ] && [ -x "$AUDIENCELAB_CHROMIUM" ]; then
  exit 0
fi
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  if command -v "$name" >/dev/null 2>&1; then
    exit 0
  fi
done

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing Chromium with apt-get"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
  exit 0
fi

cat >&2 <<'MESSAGE'
The browser tests need Chromium, and it is not on this machine.
  Debian, Ubuntu:  sudo apt-get install chromium
  Fedora:          sudo dnf install chromium
  macOS:           brew install --cask chromium
or set AUDIENCELAB_CHROMIUM to the executable of a Chromium or Chrome you have.
MESSAGE
exit 1
