{{/* The configuration: that of the values, with what follows from other values. As JSON, which YAML contains. */}}
{{- define "authz.config" -}}
{{- $config := dict -}}
{{- with .Values.bundle -}}
{{- if and .source .configMap }}{{ fail "bundle.source contradicts bundle.configMap: set one of them" }}{{ end -}}
{{- if and .trust.configMap .trust.secret }}{{ fail "bundle.trust.configMap contradicts bundle.trust.secret: set one of them" }}{{ end -}}
{{- if and .ca.configMap .ca.secret }}{{ fail "bundle.ca.configMap contradicts bundle.ca.secret: set one of them" }}{{ end -}}
{{- if or .source .trust.configMap .trust.secret }}{{ $_ := set $config "bundle" (include "authz.bundleConfig" . | fromJson) }}{{ end -}}
{{- end -}}
{{- if .Values.tenants.configMap -}}
{{- if .Values.tenants.source }}{{ fail "tenants.source contradicts tenants.configMap: set one of them" }}{{ end -}}
{{- $_ := set $config "tenants" (dict "source" "/tenants") -}}
{{- else if and .Values.tenants.credentials.secret (eq .Values.tenants.credentials.kind "postgresql") -}}
{{- if .Values.tenants.source }}{{ fail "tenants.source contradicts tenants.credentials.kind: the secret has the source" }}{{ end -}}
{{- $_ := set $config "tenants" (dict "source" "${TENANTS_SOURCE}") -}}
{{- else if .Values.tenants.source -}}
{{- $tenants := dict "source" .Values.tenants.source -}}
{{- if .Values.tenants.credentials.secret }}{{ $_ := set $tenants "http" (dict "tokenFile" "/secrets/tenants/token") }}{{ end -}}
{{- $_ := set $config "tenants" $tenants -}}
{{- end -}}
{{- with .Values.audit.chain -}}
{{- if .secret -}}
{{- $chain := dict "enabled" true "signingKey" (printf "/secrets/audit/%s" .key) "stateFile" "/var/lib/authz/state/chain.json" -}}
{{- $_ := set $config "audit" (dict "chain" $chain) -}}
{{- end -}}
{{- end -}}
{{- mergeOverwrite (deepCopy .Values.config) $config | toJson -}}
{{- end -}}

{{/* Of the values of the bundle. */}}
{{- define "authz.bundleConfig" -}}
{{- $bundle := dict "cache" "/var/lib/authz/bundle" -}}
{{- if .source }}{{ $_ := set $bundle "source" .source }}{{ end -}}
{{- if or .trust.configMap .trust.secret -}}
{{- $keys := list -}}
{{- range .trust.keys }}{{ $keys = append $keys (printf "/keys/%s" .) }}{{ end -}}
{{- $_ := set $bundle "trust" (dict "keys" $keys) -}}
{{- end -}}
{{- if .credentials.secret -}}
{{- if eq .credentials.kind "token" -}}
{{- $_ := set $bundle "credentials" (dict "tokenFile" "/secrets/bundle/token") -}}
{{- else if eq .credentials.kind "basic" -}}
{{- $_ := set $bundle "credentials" (dict "username" "${BUNDLE_USERNAME}" "passwordFile" "/secrets/bundle/password") -}}
{{- else if eq .credentials.kind "docker" -}}
{{- $_ := set $bundle "oci" (dict "dockerConfig" "/secrets/bundle/.dockerconfigjson") -}}
{{- else -}}
{{- $_ := set $bundle "s3" (dict "credentialsFile" "/secrets/bundle/credentials") -}}
{{- end -}}
{{- end -}}
{{- $tls := dict -}}
{{- if or .ca.configMap .ca.secret }}{{ $_ := set $tls "ca" (printf "/bundle-ca/%s" .ca.key) }}{{ end -}}
{{- if .clientCertificate.secret -}}
{{- $_ := set $tls "cert" "/secrets/bundle-client/tls.crt" -}}
{{- $_ := set $tls "key" "/secrets/bundle-client/tls.key" -}}
{{- end -}}
{{- if $tls }}{{ $_ := set $bundle "tls" $tls }}{{ end -}}
{{- toJson $bundle -}}
{{- end -}}

{{/* Environment variables that the configuration refers to. */}}
{{- define "authz.env" -}}
{{- $env := .Values.env -}}
{{- with .Values.bundle.credentials -}}
{{- if and .secret (eq .kind "basic") -}}
{{- $env = append $env (dict "name" "BUNDLE_USERNAME" "valueFrom" (dict "secretKeyRef" (dict "name" .secret "key" "username"))) -}}
{{- end -}}
{{- end -}}
{{- with .Values.tenants.credentials -}}
{{- if and .secret (eq .kind "postgresql") -}}
{{- $env = append $env (dict "name" "TENANTS_SOURCE" "valueFrom" (dict "secretKeyRef" (dict "name" .secret "key" "url"))) -}}
{{- end -}}
{{- end -}}
{{- toJson $env -}}
{{- end -}}
