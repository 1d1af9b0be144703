# Completions of ccbfsql for bash.
_ccbfsql() {
	local current=${COMP_WORDS[COMP_CWORD]} words=''
	case ${COMP_WORDS[1]} in
{{- range .}}{{if .Name}}
	{{.Name}}) words='{{range .Flags}}-{{.Name}} {{end}}' ;;
{{- end}}{{end}}
{{- range .}}{{if not .Name}}
	*) words='{{range .Flags}}-{{.Name}} {{end}}' ;;
{{- end}}{{end}}
	esac
	if [ "$COMP_CWORD" = 2 ] && [ "${COMP_WORDS[1]}" = completion ]; then
		mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$current")
	elif [[ $current == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		if [ "$COMP_CWORD" = 1 ]; then
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W '{{range .}}{{if .Name}}{{.Name}} {{end}}{{end}}completion man version help' -- "$current")
		fi
	fi
}
complete -o filenames -F _ccbfsql ccbfsql
