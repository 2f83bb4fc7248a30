import { registry } from "../registry.js";
import * as all from "./all.js";

/**
 * All tasks. Spellings such as `LaMP-2M`, `LaMP_2M` and OPPU's names are the tasks' own aliases. `LaMP_2` is the movie task,
 * as in the official scorer of today; files of 2023 use that name for news, which `lamp2n` scores when asked for by name.
 */
export const tasks = registry("task", Object.values(all), (task) => [task.official, ...task.aliases]);
