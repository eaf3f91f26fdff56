#!/bin/sh
# Random machines on XState and on the engine; arguments go to run.mjs. The last line is `N passed, 0 failed`.
set -eu
cd "$(dirname "$0")"
[ -d node_modules/xstate ] || npm ci --no-audit --no-fund --silent
node export.mjs
node run.mjs "$@"
