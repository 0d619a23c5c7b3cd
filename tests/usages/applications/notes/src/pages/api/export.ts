export default function handler(_: unknown, response: { json(body: unknown): void }): void {
  response.json([]);
}
