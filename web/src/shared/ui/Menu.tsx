import {
  cloneElement,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from "react";
import { createPortal } from "react-dom";
import "./Menu.css";

export interface MenuItem {
  key: string;
  label: ReactNode;
  /** Why it is not offered, or what it does. */
  title?: string;
  disabled?: boolean;
  danger?: boolean;
  onClick?: () => void;
}

/** A line between two groups. */
export const LINE = "line";

interface Props {
  items: Array<MenuItem | typeof LINE>;
  /** Makes the items a choice of one, and this the present one. */
  selected?: string;
  onChoose?: (key: string) => void;
  /** The button that opens it. */
  children: ReactElement<Record<string, unknown>>;
}

const GAP = 4;
const EDGE = 8;

/**
 * A list of actions behind a button. Arrow keys walk, Enter does, Escape goes back to the button. Ant Design's brings
 * a fifth of the first visit's script along; this is all of it that is needed.
 */
export function Menu({ items, selected, onChoose, children }: Props) {
  const [open, setOpen] = useState<"first" | "last" | null>(null);
  const id = useId();
  const button = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const close = (focus = true) => {
    setOpen(null);
    if (focus) button.current?.focus();
  };
  const rows = () => [
    ...(list.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])") ?? []),
  ];

  const place = () => {
    const box = list.current;
    if (!box || !button.current) return;
    const at = button.current.getBoundingClientRect();
    const left = Math.min(at.left, innerWidth - box.offsetWidth - EDGE);
    const below = at.bottom + GAP + box.offsetHeight <= innerHeight - EDGE;
    box.style.left = `${Math.max(EDGE, left)}px`;
    box.style.top = `${below ? at.bottom + GAP : Math.max(EDGE, at.top - GAP - box.offsetHeight)}px`;
  };
  useLayoutEffect(() => {
    if (!open) return;
    place();
    (open === "last" ? rows().at(-1) : rows()[0])?.focus({ preventScroll: true });
  }, [open]);
  useEffect(() => {
    if (!open) return undefined;
    const outside = (event: Event) => {
      const target = event.target as Node;
      if (!list.current?.contains(target) && !button.current?.contains(target)) setOpen(null);
    };
    // What scrolls below takes the menu along.
    addEventListener("pointerdown", outside, true);
    addEventListener("resize", place);
    addEventListener("scroll", place, true);
    return () => {
      removeEventListener("pointerdown", outside, true);
      removeEventListener("resize", place);
      removeEventListener("scroll", place, true);
    };
  }, [open]);

  const press = (event: KeyboardEvent) => {
    // The grid or page below has keys of its own.
    event.stopPropagation();
    const all = rows();
    const here = all.indexOf(document.activeElement as HTMLElement);
    const steps: Record<string, number> = {
      ArrowDown: here + 1,
      ArrowUp: here - 1 + all.length,
      Home: 0,
      End: all.length - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) {
      event.preventDefault();
      all[to % all.length]?.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      close();
    }
  };
  const choose = (item: MenuItem) => {
    if (item.disabled) return;
    close();
    item.onClick?.();
    onChoose?.(item.key);
  };

  return (
    <>
      {cloneElement(children, {
        ref: button,
        "aria-haspopup": "menu",
        "aria-expanded": Boolean(open),
        "aria-controls": open ? id : undefined,
        onClick: (event: Event) => {
          event.stopPropagation();
          setOpen(open ? null : "first");
        },
        onKeyDown: (event: KeyboardEvent) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          event.stopPropagation();
          setOpen(event.key === "ArrowDown" ? "first" : "last");
        },
      })}
      {open &&
        createPortal(
          <ul
            id={id}
            ref={list}
            role="menu"
            className="menu card"
            onKeyDown={press}
            onClick={(event) => event.stopPropagation()}
          >
            {items.map((item, index) =>
              item === LINE ? (
                <li key={`line ${index}`} role="separator" className="menu-line" />
              ) : (
                <li key={item.key} role="none">
                  <button
                    type="button"
                    role={selected === undefined ? "menuitem" : "menuitemradio"}
                    aria-checked={selected === undefined ? undefined : selected === item.key}
                    aria-disabled={item.disabled || undefined}
                    tabIndex={-1}
                    title={item.title}
                    className={`menu-item${item.danger ? " menu-danger" : ""}`}
                    onClick={() => choose(item)}
                  >
                    {item.label}
                  </button>
                </li>
              ),
            )}
          </ul>,
          document.body,
        )}
    </>
  );
}
