{{/* A rule for what the server calls; nothing without ports. */}}
{{- define "authz.egress" -}}
{{- if .ports -}}
- to: {{- toYaml .to | nindent 4 }}
  ports:
    {{- range .ports }}
    - port: {{ . }}
      protocol: TCP
    {{- end }}
{{- end -}}
{{- end -}}
