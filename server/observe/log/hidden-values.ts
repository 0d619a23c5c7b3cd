import type { Decision, Plan } from '../../service/decider.js';
import type { Checked, Planned } from '../../service/watcher.js';
import type { MaskPath, MaskRoot } from '../../config/mask-path.js';
import { MASKED } from '../../config/mask.js';
import { Masking, redactCheckOutput, redactPlanOutput } from '../../masking/masked-values.js';

/** What lines of the log must not show, because `audit.mask` hides it from the audit log. */
export class HiddenValues {
  /** Whether messages about decisions can repeat something that is hidden. */
  readonly #inDecisions: boolean;

  constructor(private readonly paths: readonly MaskPath[]) {
    this.#inDecisions = paths.some(({ root }) => root !== 'metadata' && root !== 'peer');
  }

  /** Whether a member of the peer or a header of the call is hidden. */
  hides(root: MaskRoot, name: string): boolean {
    return this.paths.some(
      (path) => path.root === root && (path.steps[0] === undefined || ['*', name].includes(path.steps[0])),
    );
  }

  /**
   * A message of the engine without the values that it quotes, which can be made of hidden ones in any way: only words
   * of such messages stay, and those that the author of the policy wrote.
   */
  message(text: string, authored = ''): string {
    if (!this.#inDecisions) return text;
    const known = new Set(splitWords(authored));
    const isKnown = (word: string): boolean => known.has(word) || WORDS.has(word);
    const shown = text.split(/\s+/).map((chunk) => {
      const [, open = '', core = '', close = ''] = /^(["'`([{]*)(.*?)(["'`)\]},:;.]*)$/s.exec(chunk) ?? [];
      return splitWords(core).every(isKnown) && /^[\w.'"(),:/<>=-]*$/.test(core) ? chunk : `${open}${MASKED}${close}`;
    });
    return shown.filter((chunk, index) => chunk !== MASKED || shown[index - 1] !== MASKED).join(' ');
  }

  /** The payload of a check for the log. */
  checked(checked: Checked): { readonly request: object; readonly response: readonly Decision[] } {
    const { requestId, principal, resources, decisions, auxData, requestContext } = checked;
    const request = { requestId, principal, resources, auxData, requestContext };
    if (this.paths.length === 0) return { request, response: decisions };
    const masking = new Masking(this.paths);
    const hidden = {
      ...request,
      ...masking.members(request, ['principal', 'auxData', 'requestContext']),
      resources: resources.map((entry) => ({ ...entry, ...masking.members(entry, ['resource']) })),
    };
    const response = decisions.map((decision) =>
      redactCheckOutput({ ...decision, ...masking.members(decision, ['outputs']) }, masking.secrets),
    );
    return { request: hidden, response };
  }

  /** The payload of a plan for the log. */
  planned({ request, plan, auxData }: Planned): { readonly request: object; readonly response: Plan } {
    const payload = { ...request, auxData };
    if (this.paths.length === 0) return { request: payload, response: plan };
    const masking = new Masking(this.paths);
    const members = masking.members(payload, ['principal', 'resource', 'auxData', 'requestContext']);
    return { request: { ...payload, ...members }, response: redactPlanOutput(plan, masking.secrets) };
  }
}

function splitWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words of the messages of conditions, schemas and plans. A word that is missing here is masked. */
const WORDS: ReadonlySet<string> = new Set(
  `3339 a additionalproperties address after against allowed already an and application are argument as at atoi attr base
  be bool bounds bundle but by byte bytes can cannot capturing character characters checks cidr colon comparable compiled
  comprehension compute condition conversion convert could dashes data date denies deny dereference derived determine digit
  digits division does domain dots double duration during dyn each effective element elements email embedded empty encode
  encoded end entry equal error evaluated exceed exists expand expected expression failed field fields final fit followed
  for formatting found from garbage given google got group has hash have hex hostname id idn if illegal in index indexes initialize
  input insert int integer internal invalid ip ipv ipv4 ipv6 iri is items iterable join json key kind leading least length less letters
  level limited list lists location long lowercase make many map mapped match matcher maximum may mediatype minimum
  missing modulus more multiple multipleof must name negative netip no non none not null number numbers object octet of
  offset on one only optional or out overflow overload parse parseaddr parseprefix parsing part path pattern pointer principal
  properties property proto protobuf qualifier range re ref references regex regular rel relative replace replacement
  required resource result rfc roles rule runtime s same say schema schemas scheme separated shared short size slice
  sortbyassociatedkeys spiffe spiffeid start strconv string structpb substring such supported syntax t template than that the time
  timestamp to too trailing trust trustdomain type types uint unable undefined underscores unexpected unhashable unknown
  unsigned unsupported uri utf uuid val valid value visited want was where win with zero zeros zone`.split(/\s+/),
);
