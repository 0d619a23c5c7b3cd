#!/usr/bin/env node
// @ts-check
/*
 * node comment.mjs github|gitlab FILE [--only-update]
 *
 * Posts the report of `authzc diff --output markdown` as a comment of a pull request or merge request, or replaces the
 * one that an earlier run has posted. Addresses and tokens come from the environment (docs/ci.md). Without a token, and
 * with one that may not comment, it says so and succeeds: pull requests of forks have no other.
 */
import { readFileSync } from 'node:fs';

/** The last line of a report. */
const MARKER = '<!-- authzc-diff -->';

/** Comments are listed in pages of 100. */
const MOST_PAGES = 100;

const TIMEOUT = 30_000;

/**
 * Where the comments are, and which of them are ours: anybody may write the marker, and could change the report later
 * if it replaced their comment.
 *
 * @typedef {object} Host
 * @property {Record<string, string>} headers
 * @property {string} comments the address that lists comments and accepts new ones
 * @property {(id: number) => string} comment
 * @property {'PATCH' | 'PUT'} update the method that changes a comment
 * @property {() => Promise<(comment: any) => boolean>} isOwn
 */

const hosts = {
  /** @returns {Host} */
  github: () => {
    const api = `${variable('GITHUB_API_URL')}/repos/${variable('GITHUB_REPOSITORY')}/issues`;
    const author = variable('COMMENT_AUTHOR');
    return {
      headers: { authorization: `Bearer ${token()}`, accept: 'application/vnd.github+json' },
      comments: `${api}/${variable('PULL_REQUEST')}/comments`,
      comment: (id) => `${api}/comments/${id}`,
      update: 'PATCH',
      isOwn: async () => (comment) => comment.user?.login === author,
    };
  },
  /** @returns {Host} */
  gitlab: () => {
    const api = variable('CI_API_V4_URL');
    const request = `${api}/projects/${variable('CI_PROJECT_ID')}/merge_requests/${variable('CI_MERGE_REQUEST_IID')}`;
    const headers = { 'private-token': token() };
    return {
      headers,
      comments: `${request}/notes`,
      comment: (id) => `${request}/notes/${id}`,
      update: 'PUT',
      isOwn: async () => {
        const { id } = await send('GET', `${api}/user`, headers);
        return (comment) => comment.author?.id === id;
      },
    };
  },
};

class Failure extends Error {
  /** @param {string} message @param {number} [status] */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** @param {string[]} words */
async function main([name = '', file = '', flag = '']) {
  if (!Object.hasOwn(hosts, name) || file === '' || !['', '--only-update'].includes(flag))
    throw new Failure('usage: comment.mjs github|gitlab FILE [--only-update]');
  const body = readFileSync(file, 'utf8');
  if (!isReport(body)) throw new Failure(`${file} is not a report: its last line has no ${MARKER}`);
  if (token() === '') return 'no comment: there is no token';
  const host = hosts[/** @type {keyof typeof hosts} */ (name)]();
  const own = await ownComment(host);
  if (own === undefined && flag === '--only-update') return 'no comment: nothing changed';
  try {
    if (own === undefined) await send('POST', host.comments, host.headers, { body });
    else await send(host.update, host.comment(own.id), host.headers, { body });
  } catch (error) {
    if (error instanceof Failure && error.status === 403) return 'no comment: the token may not write one';
    throw error;
  }
  return own === undefined ? 'comment posted' : 'comment replaced';
}

/** @param {Host} host @returns {Promise<{ id: number } | undefined>} */
async function ownComment({ comments, headers, isOwn }) {
  const isOurs = await isOwn();
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const listed = await send('GET', `${comments}?per_page=100&page=${page}`, headers);
    const found = listed.find((/** @type {any} */ comment) => isOurs(comment) && isReport(comment.body ?? ''));
    if (found !== undefined || listed.length < 100) return found;
  }
  return undefined;
}

/** @param {string} text */
function isReport(text) {
  return text.trimEnd().endsWith(MARKER);
}

/**
 * @param {string} method @param {string} url @param {Record<string, string>} headers @param {object} [body]
 * @returns {Promise<any>}
 */
async function send(method, url, headers, body) {
  const response = await fetch(url, {
    method,
    // The token is for this address alone.
    redirect: 'error',
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT),
  });
  if (response.ok) return response.json();
  await response.body?.cancel();
  throw new Failure(`${method} ${url}: ${response.status} ${response.statusText}`, response.status);
}

function token() {
  return process.env['COMMENT_TOKEN'] ?? '';
}

/** @param {string} name */
function variable(name) {
  const value = process.env[name] ?? '';
  if (value === '') throw new Failure(`the variable ${name} is not set`);
  return value;
}

try {
  console.log(await main(process.argv.slice(2)));
} catch (error) {
  console.error(`comment.mjs: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
