/** The last thing done, in words, for as long as they are true. */

import { computed, signal } from "@preact/signals";

interface Saying {
  readonly text: string;
  /** Whether it is to be read, or only heard, because it is drawn elsewhere. */
  readonly isShown: boolean;
  readonly about: readonly unknown[];
}

const NOTHING: Saying = { text: "", isShown: false, about: [] };

export class Said {
  private readonly last = signal(NOTHING);

  /** `view` reads the signals of what is on screen: "Match 1 of 498" ends with its search. */
  constructor(private readonly view: () => readonly unknown[]) {}

  readonly now = computed(() => {
    const { text, isShown, about } = this.last.value;
    const view = this.view();
    return about.every((one, index) => one === view[index]) ? { text, isShown } : NOTHING;
  });

  say(text: string, isShown: boolean): void {
    this.last.value = { text, isShown, about: this.view() };
  }
}
