/**
 * The server marks each document with a word that only its own styles may carry. Libraries that make <style> elements
 * while they run (Ant Design, the editor) do not know it; the document hands it to them here.
 */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

export function markStyles(): void {
  if (!nonce) return;
  const create = Document.prototype.createElement;
  Document.prototype.createElement = function (this: Document, name: string, options?: ElementCreationOptions) {
    const made = create.call(this, name, options);
    if (name === "style") made.nonce = nonce;
    return made;
  } as typeof create;
}
