{{/* The spread constraints of pods, as a list of objects: one without a selector counts the pods of the release. */}}
{{- define "authz.spread" -}}
{{- $selector := dict "matchLabels" (dict "app.kubernetes.io/name" "authz" "app.kubernetes.io/instance" .Release.Name) -}}
{{- $constraints := list -}}
{{- range .Values.topologySpreadConstraints -}}
{{- if hasKey . "labelSelector" -}}
{{- $constraints = append $constraints . -}}
{{- else -}}
{{- $constraints = append $constraints (merge (dict "labelSelector" $selector) .) -}}
{{- end -}}
{{- end -}}
{{- toJson $constraints -}}
{{- end -}}
