#!/bin/sh
# Succeeds when this machine has an npm and a Node that the front end builds with.
command -v npm >/dev/null 2>&1 &&
  node -e 'process.exit(Number.parseInt(process.versions.node, 10) < 20 ? 1 : 0)' 2>/dev/null
