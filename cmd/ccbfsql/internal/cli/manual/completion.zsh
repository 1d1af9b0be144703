#compdef ccbfsql
# Completions of ccbfsql for zsh.
_ccbfsql() {
	local -a commands=({{range .}}{{if .Name}}{{.Name}} {{end}}{{end}}completion man version help)
	if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
		compadd -- $commands
		_files
		return
	fi
	case $words[2] in
{{- range .}}{{if .Name}}
	{{.Name}})
		shift words
		(( CURRENT-- ))
		_arguments \
			{{- range .Flags}}
			'-{{.Name}}[{{quoted .Help}}]{{if .Value}}:{{quoted .Value}}:_files{{end}}' \
			{{- end}}
			'*:database:_files' ;;
{{- end}}{{end}}
	completion) compadd bash zsh fish ;;
	*)
		_arguments \
			{{- range .}}{{if not .Name}}{{range .Flags}}
			'*-{{.Name}}[{{quoted .Help}}]{{if .Value}}:{{quoted .Value}}:_files{{end}}' \
			{{- end}}{{end}}{{end}}
			'*:database:_files' ;;
	esac
}
_ccbfsql "$@"
