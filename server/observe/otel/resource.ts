import { randomUUID } from 'node:crypto';
import type { Resource } from '@opentelemetry/resources';

/**
 * What sends: the service and its release, this process of it, and what `OTEL_RESOURCE_ATTRIBUTES` says, which has the
 * last word.
 */
export async function detectResource(serviceName: string, version: string): Promise<Resource> {
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    '@opentelemetry/resources'
  );
  const own = resourceFromAttributes({
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': randomUUID(),
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}
