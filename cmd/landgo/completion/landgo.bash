# Completion of landgo's command line in bash. landgo says what may come next; where
# it says nothing, a file may.
_landgo() {
	local offers
	mapfile -t offers < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	COMPREPLY=("${offers[@]%%$'\t'*}")
	if ((${#offers[@]})) && [[ ${offers[-1]} == :more ]]; then
		unset 'COMPREPLY[-1]'
		compopt -o nospace 2>/dev/null
	fi
}
complete -o default -F _landgo landgo
