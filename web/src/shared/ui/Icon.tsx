/** One outline set. An icon never stands alone: a word beside it, or the name of its button, says what it means. */
const paths = {
  home: "M3 9l7-6 7 6v8h-5v-5H8v5H3z",
  jobs: "M3 5h14M3 10h14M3 15h9",
  plus: "M10 4v12M4 10h12",
  queue: "M4 4h8v3H4zM4 9h11v3H4zM4 14h6v3H4z",
  nodes: "M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01",
  key: "M13 3a4 4 0 1 1-3.6 5.7L3 15v2h3v-2h2v-2h2l.7-.7",
  person: "M10 10a3.2 3.2 0 1 0 0-6.4A3.2 3.2 0 0 0 10 10zM4 17c.6-3.2 3-5 6-5s5.4 1.8 6 5",
  gear: "M10 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM10 2.5v2M10 15.5v2M2.5 10h2M15.5 10h2M4.7 4.7l1.4 1.4M13.9 13.9l1.4 1.4M4.7 15.3l1.4-1.4M13.9 6.1l1.4-1.4",
  pulse: "M2 10h4l2-5 4 10 2-5h4",
  left: "M12 5l-5 5 5 5",
  right: "M8 5l5 5-5 5",
  down: "M5 8l5 5 5-5",
  menu: "M3 5h14M3 10h14M3 15h14",
  search: "M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4",
  bell: "M5 14V9a5 5 0 0 1 10 0v5l1.5 1.5h-13zM8.5 17.5h3",
  theme: "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14",
  close: "M5 5l10 10M15 5L5 15",
  log: "M4 3h12v14H4zM7 7h6M7 10h6M7 13h4",
  copy: "M7 7h9v9H7zM13 7V4H4v9h3",
  stop: "M5 5h10v10H5z",
  more: "M4.5 10h.01M10 10h.01M15.5 10h.01",
  refresh: "M16 5v4h-4M4 15v-4h4M15.4 9A6 6 0 0 0 5 7M4.6 11A6 6 0 0 0 15 13",
  download: "M10 3v10M6 9.5l4 4 4-4M4 17h12",
  filter: "M3 4h14l-5.5 6.5V16l-3 1.5v-7z",
  columns: "M3 4h14v12H3zM8 4v12M13 4v12",
  full: "M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4",
  wrap: "M3 5h14M3 10h11a2.5 2.5 0 0 1 0 5h-4M12 13l-2.5 2 2.5 2M3 15h3",
  clock: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l3 2",
  up: "M10 16V4M5 9l5-5 5 5",
  front: "M4 3.5h12M10 17V7M5.5 11.5L10 7l4.5 4.5",
  bottom: "M10 4v12M5 11l5 5 5-5",
  trash: "M4 6h12M8 6V4h4v2M6 6l1 11h6l1-11",
  again: "M4 10a6 6 0 1 1 2 4.5M4 16v-3.5h3.5",
  upload: "M10 14V4M6 7.5l4-4 4 4M4 17h12",
  edit: "M4 16l1-4 8-8 3 3-8 8z",
  pause: "M6 4h2.5v12H6zM11.5 4H14v12h-2.5z",
  play: "M6 4l9 6-9 6z",
  help: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM8 8a2 2 0 1 1 2.7 1.9c-.5.2-.7.6-.7 1.1v.5M10 14h.01",
  warning: "M10 3.5L17.5 16.5h-15zM10 8.5v4M10 14.6h.01",
  file: "M5 2.5h7l3.5 3.5v11.5H5zM11.5 2.5V6.5h4",
  info: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 9v5M10 6.2h.01",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 20 20"
      width={size}
      height={size}
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === "more" ? 2.6 : 1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  );
}
