#compdef landgo
# Completion of landgo's command line in zsh. landgo says what may come next; where it
# says nothing, a file may.
_landgo() {
	local line
	local -a lines offers more
	lines=("${(@f)$($words[1] __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	for line in $lines; do
		if [[ $line == :more ]]; then
			more=(-S '')
		else
			offers+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
		fi
	done
	if (( $#offers )); then
		_describe landgo offers $more
	else
		_files
	fi
}
if [[ $funcstack[1] == _landgo ]]; then
	_landgo
else
	compdef _landgo landgo
fi
