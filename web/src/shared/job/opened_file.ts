let opened: File[] = [];

/** Files dropped on any page wait here until the page Submit job takes them. */
export function holdOpened(files: File[]): void {
  opened = files;
}

export function takeOpened(): File[] {
  const files = opened;
  opened = [];
  return files;
}
