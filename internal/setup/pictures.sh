#!/bin/sh
# Makes the pictures of docs/pictures: pages of guests' bugs, as a browser shows them.
# Usage: pictures.sh FOLDER. Needs chromium; landgo and the guests are built.
set -eu
to=$1
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "pictures: no chromium; on Debian: apt-get install chromium" >&2
	exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shot NAME STEP HEIGHT SCHEME
shot() {
	sed "s/prefers-color-scheme:dark/m$([ "$4" = dark ] && echo in || echo ax)-width:1px/" "$work/page.html" >"$work/shown.html"
	"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
		--window-size="1240,$3" --screenshot="$work/shot.png" "file://$work/shown.html#$2" 2>/dev/null
	mv "$work/shot.png" "$to/$1.png"
	echo "$to/$1.png: $(wc -c <"$to/$1.png") bytes"
}

# page GUEST: exits with 1, for it finds the bug
page() {
	bin/landgo run --quiet --out "$work/bug.landgo" --source guests --html "$work/page.html" "bin/guests/$1" >"$work/report.txt" || test $? = 1
	sed -i "s|$work/||g" "$work/page.html"
}

page glibc-O1/lost_update
shot page 5 640 light
shot page-dark 5 640 dark
page glibc-O1/deadlock_two
shot page-deadlock 9 660 light
