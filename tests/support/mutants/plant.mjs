import { register } from 'node:module';

register('./plant-hooks.mjs', import.meta.url);
