/** The sample applications that `authzc init` can create: each is a folder in `templates`. */
export const TEMPLATES = {
  ts: 'a plain Node server',
  fastify: 'Fastify',
  hono: 'Hono on Node',
  express: 'Express',
  next: 'Next.js route handlers',
  workers: 'Cloudflare Workers',
} as const;

export type Template = keyof typeof TEMPLATES;
