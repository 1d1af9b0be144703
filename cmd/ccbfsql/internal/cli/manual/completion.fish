# Completions of ccbfsql for fish.
set -l commands {{range .}}{{if .Name}}{{.Name}} {{end}}{{end}}completion man version help
complete -c ccbfsql -n "not __fish_seen_subcommand_from $commands" -a "$commands"
complete -c ccbfsql -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'
{{- range .}}{{$command := .Name}}{{range .Flags}}
complete -c ccbfsql -n {{if $command}}'__fish_seen_subcommand_from {{$command}}'{{else}}"not __fish_seen_subcommand_from $commands"{{end}} -o {{.Name}}{{if .Value}} -r{{end}} -d '{{fish .Help}}'
{{- end}}{{end}}
