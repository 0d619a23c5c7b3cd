import type { Socket } from 'node:net';

/** What a client that knows it speaks HTTP/2 begins with; no method of HTTP/1.1 begins so. */
const PREFACE = Buffer.from('PRI');

/**
 * Looks at the first bytes of a connection and says whether they are of HTTP/2. The bytes are put back before `decided`
 * is called, which has to hand the socket on at once.
 */
export function beginsWithHttp2(socket: Socket, decided: (isHttp2: boolean) => void): void {
  let seen: Buffer = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, PREFACE.length);
    const isPrefix = seen.subarray(0, length).equals(PREFACE.subarray(0, length));
    if (isPrefix && length < PREFACE.length) return;
    socket.off('data', onData);
    socket.off('error', onError);
    socket.pause();
    socket.unshift(seen);
    decided(isPrefix);
    if (!isPrefix) socket.resume();
  };
  const onError = (): void => {
    socket.destroy();
  };
  socket.on('error', onError);
  socket.on('data', onData);
}
