/** The sample applications that `authzc init` can create: each is a folder in `templates`. */
export const TEMPLATES = {
  ts: 'a server with what Node has',
  fastify: 'Fastify',
  hono: 'Hono on Node',
  express: 'Express',
  next: 'route handlers of Next.js',
  workers: 'Cloudflare Workers',
} as const;

export type Template = keyof typeof TEMPLATES;
