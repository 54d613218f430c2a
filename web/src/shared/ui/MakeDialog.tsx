import { Button, Modal } from "antd";
import type { ReactNode } from "react";
import { useSaid } from "@/shared/messages";

/** The words on the buttons, by the page that asks. */
export interface MakeWords {
  cancel: string;
  create: string;
  done: string;
}

interface Props {
  title: string;
  words: MakeWords;
  width?: number;
  /** What was made and is shown this once; then a click beside the dialog does not close it. */
  made: ReactNode | null;
  pending: boolean;
  error: Error | null;
  onCreate: () => void;
  onClose: () => void;
  /** The fields. */
  children: ReactNode;
}

/** A dialog that makes something whose text is shown only once: first the fields, then what came of them. */
export function MakeDialog({ title, words, width, made, pending, error, onCreate, onClose, children }: Props) {
  const said = useSaid();
  return (
    <Modal
      open
      width={width}
      title={title}
      mask={{ closable: !made }}
      onCancel={onClose}
      footer={
        made ? (
          <Button type="primary" onClick={onClose}>
            {words.done}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{words.cancel}</Button>
            <Button type="primary" loading={pending} onClick={onCreate}>
              {words.create}
            </Button>
          </>
        )
      }
    >
      {made ? (
        <div className="stack">{made}</div>
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            onCreate();
          }}
        >
          {children}
          {error && (
            <p role="alert" className="fault">
              {said(error)}
            </p>
          )}
          <button type="submit" hidden />
        </form>
      )}
    </Modal>
  );
}
