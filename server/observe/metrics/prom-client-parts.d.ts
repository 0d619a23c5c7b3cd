declare module 'prom-client/lib/registry.js' {
  export { Registry as default } from 'prom-client';
}

declare module 'prom-client/lib/defaultMetrics.js' {
  export { collectDefaultMetrics as default } from 'prom-client';
}
