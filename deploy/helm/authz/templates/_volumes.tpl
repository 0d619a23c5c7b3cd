{{/*
What is mounted besides the configuration, as a list of objects: the name, the path, and what a volume says. Whole folders:
the kubelet updates them when a secret or a config map changes, unlike single files.
*/}}
{{- define "authz.mounts" -}}
{{- $mounts := list (dict "name" "tmp" "path" "/tmp" "volume" (dict "emptyDir" dict)) -}}
{{- with .Values.bundle -}}
{{- if .configMap -}}
{{- $mounts = append $mounts (dict "name" "bundle" "path" "/bundle" "configMap" .configMap) -}}
{{- end -}}
{{- if or .source .trust.configMap .trust.secret -}}
{{- $volume := dict "emptyDir" (dict "sizeLimit" .cache.sizeLimit) -}}
{{- if .cache.existingClaim }}{{ $volume = dict "persistentVolumeClaim" (dict "claimName" .cache.existingClaim) }}{{ end -}}
{{- $mounts = append $mounts (dict "name" "cache" "path" "/var/lib/authz/bundle" "volume" $volume) -}}
{{- $mounts = append $mounts (dict "name" "keys" "path" "/keys" "configMap" .trust.configMap "secret" .trust.secret) -}}
{{- $mounts = append $mounts (dict "name" "bundle-credentials" "path" "/secrets/bundle" "secret" .credentials.secret) -}}
{{- $mounts = append $mounts (dict "name" "bundle-ca" "path" "/bundle-ca" "configMap" .ca.configMap "secret" .ca.secret) -}}
{{- $mounts = append $mounts (dict "name" "bundle-client" "path" "/secrets/bundle-client" "secret" .clientCertificate.secret) -}}
{{- end -}}
{{- end -}}
{{- with .Values.tenants -}}
{{- $mounts = append $mounts (dict "name" "tenants" "path" "/tenants" "configMap" .configMap) -}}
{{- if eq .credentials.kind "token" -}}
{{- $mounts = append $mounts (dict "name" "tenants-credentials" "path" "/secrets/tenants" "secret" .credentials.secret) -}}
{{- end -}}
{{- end -}}
{{- with .Values.audit.chain -}}
{{- if .secret -}}
{{- $mounts = append $mounts (dict "name" "audit-key" "path" "/secrets/audit" "secret" .secret) -}}
{{- $mounts = append $mounts (dict "name" "state" "path" "/var/lib/authz/state" "volume" (dict "emptyDir" dict)) -}}
{{- end -}}
{{- end -}}
{{- $mounts = append $mounts (dict "name" "tls" "path" "/tls" "secret" .Values.tls.secret) -}}
{{- toJson $mounts -}}
{{- end -}}

{{- define "authz.volumeMounts" -}}
{{- $mounts := list (dict "name" "config" "mountPath" "/config" "readOnly" true) -}}
{{- range include "authz.mounts" . | fromJsonArray -}}
{{- if .volume -}}
{{- $mounts = append $mounts (dict "name" .name "mountPath" .path) -}}
{{- else if or .configMap .secret -}}
{{- $mounts = append $mounts (dict "name" .name "mountPath" .path "readOnly" true) -}}
{{- end -}}
{{- end -}}
{{- concat $mounts .Values.volumeMounts | toJson -}}
{{- end -}}

{{- define "authz.volumes" -}}
{{- $volumes := list (dict "name" "config" "configMap" (dict "name" (include "authz.name" .))) -}}
{{- range include "authz.mounts" . | fromJsonArray -}}
{{- if .volume -}}
{{- $volumes = append $volumes (set .volume "name" .name) -}}
{{- else if .configMap -}}
{{- $volumes = append $volumes (dict "name" .name "configMap" (dict "name" .configMap)) -}}
{{- else if .secret -}}
{{- $volumes = append $volumes (dict "name" .name "secret" (dict "secretName" .secret)) -}}
{{- end -}}
{{- end -}}
{{- concat $volumes .Values.volumes | toJson -}}
{{- end -}}
