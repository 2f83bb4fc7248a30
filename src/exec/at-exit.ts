/** What is to be undone if the process ends at once. */
export interface AtExit {
  add(undo: () => void): void;
  remove(undo: () => void): void;
}

/** Whoever leaves at once (second Ctrl-C) leaves no program behind. One listener serves all, while there are any. */
export function atExit(): AtExit {
  const waiting = new Set<() => void>();
  const undoAll = (): void => {
    for (const undo of waiting) undo();
  };
  return {
    add(undo) {
      if (waiting.size === 0) process.on("exit", undoAll);
      waiting.add(undo);
    },
    remove(undo) {
      waiting.delete(undo);
      if (waiting.size === 0) process.off("exit", undoAll);
    },
  };
}
