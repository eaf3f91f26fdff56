#!/bin/sh
# The public SCION and W3C cases, then random machines on XState and on the engine; arguments go to
# run.mjs. The last line is `N passed, 0 failed`.
set -eu
cd "$(dirname "$0")"
[ -d node_modules/xstate ] && [ -d node_modules/@scion-scxml ] || npm ci --no-audit --no-fund --silent
node scion.mjs
node export.mjs
node run.mjs "$@"
