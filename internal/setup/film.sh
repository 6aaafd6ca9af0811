#!/bin/sh
# Makes the pictures of an editor in docs/debugging.md, with that page's program and files.
# Usage: film.sh FOLDER. Needs gdb, chromium, node, code-server 4.100 (Visual Studio Code as a
# server), and puppeteer-core where NODE_PATH says. CODE_SERVER is its command if it isn't on
# the path. landgo is built.
set -eu
to=$1
here=$(pwd)
server=${CODE_SERVER:-code-server}
command -v "${server%% *}" >/dev/null || {
	echo "film: no code-server: npm install code-server@4.100.3 puppeteer-core@24" >&2
	exit 1
}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
work=$(mktemp -d)
started=
trap 'for p in $started; do kill "$p" 2>/dev/null || true; done; sleep 1; rm -rf "$work"' EXIT

# fenced NAME: the page's block that begins with ```NAME
fenced() {
	awk -v "start=\`\`\`$1" '$0 == start { on = 1; next } /^```/ { on = 0 } on' docs/debugging.md
}

mkdir -p "$work/counter/.vscode" "$work/extensions/landgo-1.0.0" "$work/data/User"
fenced 'c counter.c' >"$work/counter/counter.c"
fenced 'json launch.json' >"$work/counter/.vscode/launch.json"
fenced 'json package.json' >"$work/extensions/landgo-1.0.0/package.json"
cat >"$work/data/User/settings.json" <<'SETTINGS'
{ "workbench.startupEditor": "none", "workbench.colorTheme": "Default Light Modern", "workbench.layoutControl.enabled": false,
  "editor.minimap.enabled": false, "editor.fontSize": 15, "extensions.ignoreRecommendations": true,
  "debug.internalConsoleOptions": "openOnSessionStart", "telemetry.telemetryLevel": "off" }
SETTINGS
cd "$work/counter"
gcc -g -O1 -static -pthread -o counter.elf counter.c
"$here/bin/landgo" run --quiet counter.elf >report.txt || test $? = 1
"$here/bin/landgo" debug --dap --listen localhost:4711 counter.elf.landgo &
started=$!
HOME=$work $server --bind-addr 127.0.0.1:4712 --auth none --disable-telemetry --disable-update-check --disable-workspace-trust \
	--user-data-dir "$work/data" --extensions-dir "$work/extensions" . >"$work/server.txt" 2>&1 &
started="$started $!"
tries=0
until curl -s -o /dev/null http://127.0.0.1:4712/; do
	tries=$((tries + 1))
	test $tries -lt 60 || { cat "$work/server.txt" >&2; exit 1; }
	sleep 1
done
node "$here/internal/setup/film.cjs" "$browser" "http://127.0.0.1:4712/" "$work/counter" "$here/$to"
