/**
 * What the load balancer calls.
 * authz: public
 */
export function GET(): Response {
  return new Response('ok');
}
