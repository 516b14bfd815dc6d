#!/bin/sh
# Makes sure there is a Chromium for the browser tests. The tests look in the same
# places: AUDIENCELAB_CHROMIUM, then these names on the path.
set -eu

has_chromium() {
  if [ -n "${AUDIENCELAB_CHROMIUM:-}" ]; then
    [ -x "$AUDIENCELAB_CHROMIUM" ]
    return
  fi
  for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null 2>&1; then
      return 0
    fi
  done
  return 1
}

install_with_apt() {
  echo "installing Chromium with apt-get"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    chromium-headless-shell fonts-dejavu-core >/dev/null
}

if has_chromium; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  install_with_apt || true
fi
if has_chromium; then
  exit 0
fi

cat >&2 <<'MESSAGE'
The browser tests need Chromium, and it is not on this machine.
  Debian:   apt-get install chromium-headless-shell (as root)
  Fedora:   dnf install chromium (as root)
  macOS:    brew install --cask chromium
or set AUDIENCELAB_CHROMIUM to the executable of a Chromium or Chrome you have.
All other tests run without it: make test-python test-js test-notebooks
MESSAGE
exit 1
