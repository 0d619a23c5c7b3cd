import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { JsonObject } from '../../proto/wire/json-shape.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/timeout.js';

export const CADDY = '/usr/bin/caddy';

/**
 * Renders a chart by the templates of Caddy: the engine of Go and the functions of Sprig, as in Helm, which is not
 * packaged. What Helm adds to them is replaced: named templates are files, and YAML is written as JSON, which it contains.
 */
export class ChartRenderer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'authz-chart-'));
  #caddy: ChildProcess | undefined;
  #log = '';
  #port = 0;
  #renderings = 0;

  private constructor(private readonly chart: string) {}

  static async start(chart: string): Promise<ChartRenderer> {
    const renderer = new ChartRenderer(chart);
    renderer.#translate();
    await renderer.#serve();
    return renderer;
  }

  /** The manifest of a template, such as `deployment.yaml`; undefined if it renders nothing. Rejects with the reason. */
  async render(template: string, values: JsonObject): Promise<JsonObject | undefined> {
    const name = `${this.#renderings++}`;
    const { version } = parse(readFileSync(join(this.chart, 'Chart.yaml'), 'utf8')) as { readonly version: string };
    const context = {
      Values: values,
      Release: { Name: 'pdp', Service: 'Helm' },
      Chart: { Name: 'authz', Version: version, AppVersion: version },
    };
    writeFileSync(join(this.#folder, `${name}.json`), JSON.stringify(context));
    writeFileSync(
      join(this.#folder, `${name}.txt`),
      `{{ include "/${template}" (include "/${name}.json" | fromJson) }}`,
    );
    const before = this.#log.length;
    const response = await fetch(`http://127.0.0.1:${this.#port}/${name}.txt`);
    if (response.status === 200) return (parse(await response.text()) ?? undefined) as JsonObject | undefined;
    // The reason is in the log, which is read when it comes. The body of this status is not complete.
    await response.body?.cancel();
    await until(() => this.#log.slice(before).includes('http.log.error'), 'the reason in the log');
    throw new Error(this.#log.slice(before));
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#caddy?.once('exit', resolve));
    this.#caddy?.kill('SIGKILL');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #translate(): void {
    const templates = join(this.chart, 'templates');
    for (const name of readdirSync(templates)) {
      const text = readFileSync(join(templates, name), 'utf8');
      if (!name.endsWith('.tpl')) this.#write(name, text);
      else for (const [, defined = '', body = ''] of text.matchAll(DEFINITION)) this.#write(defined, body);
    }
  }

  #write(name: string, text: string): void {
    const translated = text
      .replaceAll('include (print $.Template.BasePath "/configmap.yaml")', 'include "/configmap.yaml"')
      .replaceAll(/include "(?!\/)/g, 'include "/')
      .replaceAll('toYaml', 'toJson')
      .replaceAll('fromJsonArray', 'fromJson');
    writeFileSync(join(this.#folder, name), `{{- with index .Args 0 -}}${translated}{{- end -}}`);
  }

  async #serve(): Promise<void> {
    this.#port = await freePort();
    const home = join(this.#folder, 'home');
    mkdirSync(home);
    const caddy = spawn(
      CADDY,
      ['file-server', '--templates', '--access-log', '--root', this.#folder, '--listen', `127.0.0.1:${this.#port}`],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: home, XDG_DATA_HOME: home } },
    );
    this.#caddy = caddy;
    caddy.stderr.on('data', (chunk: Buffer) => {
      this.#log += chunk.toString('utf8');
    });
    await until(
      () => {
        if (caddy.exitCode !== null) throw new Error(`Caddy did not start: ${this.#log}`);
        return fetch(`http://127.0.0.1:${this.#port}/`).then(
          () => true,
          () => false,
        );
      },
      () => `an answer of Caddy: ${this.#log}`,
    );
  }
}

/** A named template, up to the end of its block. */
const DEFINITION = /\{\{- define "([^"]+)" -\}\}([\s\S]*?)\{\{- end -\}\}\n*(?=\{\{- define|\{\{\/\*|$)/g;

export function isRendererInstalled(): boolean {
  return existsSync(CADDY);
}
