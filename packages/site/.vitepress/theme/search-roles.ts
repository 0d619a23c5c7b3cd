/*
 * The search dialog of the theme calls itself a button, and its options contain links, which screen readers leave out.
 * Here it is a dialog, and each link is an option. The component of the theme has no slots for either.
 */

/** Corrects the roles of the search dialog whenever it is opened. */
export function correctSearchRoles(): void {
  new MutationObserver(() => {
    const box = document.querySelector('.VPLocalSearchBox[role="button"]');
    if (box !== null) correctBox(box);
  }).observe(document.body, { childList: true });
}

function correctBox(box: Element): void {
  set(box, { role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Search', 'aria-labelledby': undefined });
  // Keys that are pictures have names.
  for (const key of box.querySelectorAll('kbd[aria-label]')) set(key, { role: 'img' });
  correctResults(box);
  // Results are drawn anew while somebody types, and one of them is selected by the arrow keys.
  new MutationObserver(() => correctResults(box)).observe(box, {
    subtree: true,
    childList: true,
    attributeFilter: ['id', 'class', 'aria-selected', 'aria-owns'],
  });
}

function correctResults(box: Element): void {
  set(box, { 'aria-owns': undefined, 'aria-expanded': undefined, 'aria-haspopup': undefined });
  const links = [...box.querySelectorAll<HTMLElement>('.results > li > a')];
  const input = box.querySelector('#localsearch-input');
  if (input !== null)
    set(input, { role: 'combobox', 'aria-expanded': String(links.length > 0), 'aria-label': 'Search' });
  for (const link of links) {
    const item = link.parentElement as HTMLElement;
    set(item, { role: 'presentation', id: undefined, 'aria-selected': undefined });
    const isSelected = String(link.classList.contains('selected'));
    set(link, { role: 'option', id: `localsearch-item-${link.dataset['index']}`, 'aria-selected': isSelected });
  }
}

/** Sets attributes, or removes those that are undefined. Those that are right are left alone, as changes are observed. */
function set(node: Element, attributes: { readonly [name: string]: string | undefined }): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) {
      if (node.hasAttribute(name)) node.removeAttribute(name);
    } else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
}
