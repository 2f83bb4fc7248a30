/** Things to undo if the process ends without waiting for them. */
export interface AtExit {
  add(undo: () => void): void;
  remove(undo: () => void): void;
}

/**
 * Collects what must be undone when the process ends at once (second Ctrl-C), so that no program is left running. All
 * entries share one listener on the process, which is there only while there are entries.
 */
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
