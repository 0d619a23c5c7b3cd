import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { writeZip, type ZipEntry } from '../packages/bundle/zip.js';

/** The fields of the package.json of an extension that its archive repeats. */
interface ExtensionManifest {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly version: string;
  readonly publisher: string;
  readonly engines: { readonly vscode: string };
  readonly categories: readonly string[];
  readonly keywords: readonly string[];
  readonly galleryBanner: { readonly color: string; readonly theme: string };
}

/** Assets that VS Code and the marketplace look for, by the name of their file. */
const ASSETS: Readonly<Record<string, string>> = {
  'package.json': 'Microsoft.VisualStudio.Code.Manifest',
  'README.md': 'Microsoft.VisualStudio.Services.Content.Details',
  'CHANGELOG.md': 'Microsoft.VisualStudio.Services.Content.Changelog',
  'LICENSE.txt': 'Microsoft.VisualStudio.Services.Content.License',
  'icon.png': 'Microsoft.VisualStudio.Services.Icons.Default',
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.cjs': 'application/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.png': 'image/png',
  '.txt': 'text/plain',
  '.vsixmanifest': 'text/xml',
};

/**
 * Packs the extension in a folder as a .vsix, which is a ZIP archive with a manifest, as `vsce package` does. Returns
 * the path of the archive, in the same folder. Equal extensions have equal bytes.
 */
export function packVsix(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ExtensionManifest;
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.vsix'))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
  const archive = join(folder, `${manifest.name}-${manifest.version}.vsix`);
  const entries = [
    createEntry('extension.vsixmanifest', vsixManifest(manifest, names)),
    createEntry('[Content_Types].xml', contentTypes()),
    ...names.map((name) => createEntry(`extension/${name}`, readFileSync(join(folder, name)))),
  ];
  writeFileSync(archive, writeZip(entries));
  return archive;
}

function createEntry(name: string, content: Uint8Array | string): ZipEntry {
  const bytes = Buffer.from(content);
  return { name, deflated: deflateRawSync(bytes), crc: crc32(bytes), size: bytes.length };
}

function contentTypes(): string {
  const types = Object.entries(CONTENT_TYPES).map(
    ([extension, type]) => `<Default Extension="${extension}" ContentType="${type}"/>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${types.join('')}</Types>
`;
}

/** The manifest that VS Code reads (https://code.visualstudio.com/api/working-with-extensions/publishing-extension). */
function vsixManifest(manifest: ExtensionManifest, names: readonly string[]): string {
  const unknown = names.find((name) => CONTENT_TYPES[extname(name)] === undefined);
  if (unknown !== undefined) throw new Error(`${unknown}: add its content type to scripts/vsix.ts`);
  const properties: Readonly<Record<string, string>> = {
    'Microsoft.VisualStudio.Code.Engine': manifest.engines.vscode,
    'Microsoft.VisualStudio.Code.ExtensionDependencies': '',
    'Microsoft.VisualStudio.Code.ExtensionPack': '',
    'Microsoft.VisualStudio.Code.ExtensionKind': 'workspace',
    'Microsoft.VisualStudio.Code.LocalizedLanguages': '',
    'Microsoft.VisualStudio.Code.ExecutesCode': 'true',
    'Microsoft.VisualStudio.Services.Branding.Color': manifest.galleryBanner.color,
    'Microsoft.VisualStudio.Services.Branding.Theme': manifest.galleryBanner.theme,
    'Microsoft.VisualStudio.Services.GitHubFlavoredMarkdown': 'true',
    'Microsoft.VisualStudio.Services.Content.Pricing': 'Free',
  };
  const listed = Object.entries(properties).map(
    ([id, value]) => `      <Property Id="${id}" Value="${escapeXml(value)}"/>`,
  );
  const assets = Object.entries(ASSETS).map(([name, type]) => {
    if (!names.includes(name)) throw new Error(`the extension has no ${name}`);
    return `    <Asset Type="${type}" Path="extension/${name}" Addressable="true"/>`;
  });
  const { name, version, publisher, displayName, description, keywords, categories } = manifest;
  const identity = `Language="en-US" Id="${escapeXml(name)}" Version="${escapeXml(version)}" Publisher="${escapeXml(publisher)}"`;
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011" xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity ${identity}/>
    <DisplayName>${escapeXml(displayName)}</DisplayName>
    <Description xml:space="preserve">${escapeXml(description)}</Description>
    <Tags>${escapeXml(keywords.join(','))}</Tags>
    <Categories>${escapeXml(categories.join(','))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
${listed.join('\n')}
    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/icon.png</Icon>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
${assets.join('\n')}
  </Assets>
</PackageManifest>
`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
