{{- define "authz.name" -}}
{{- printf "%s-authz" .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "authz.selector" -}}
app.kubernetes.io/name: authz
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "authz.labels" -}}
{{ include "authz.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "authz.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "authz.name" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "authz.live" -}}
path: /_authz/live
port: http
scheme: {{ ternary "HTTPS" "HTTP" (ne .Values.tls.secret "") }}
{{- end -}}

{{/* Of a dictionary with the values and the longest age of the bundle. */}}
{{- define "authz.health" -}}
path: /_authz/health{{ with .maxBundleAge }}?maxBundleAge={{ . }}{{ end }}
port: http
scheme: {{ ternary "HTTPS" "HTTP" (ne .Values.tls.secret "") }}
{{- end -}}
