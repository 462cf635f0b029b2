export default {
  props: { row: Object },
  emits: ["retry", "cancel", "more"],
  template: `
    <tr class="work">
      <td class="work-name">
        <a v-if="row.href" class="nicegui-link" :href="row.href">{{ row.name }}</a>
        <span v-else>{{ row.name }}</span>
        <span v-if="row.type" class="work-type">{{ row.type }}</span>
        <div v-if="row.kb_href" class="small"><a class="work-kb quiet" :href="row.kb_href">{{ row.kb }}</a></div>
        <div v-if="row.note" class="small break" :class="row.note_bad ? 'text-negative' : 'quiet'">{{ row.note }}</div>
      </td>
      <td class="work-source">
        <a v-if="row.url" class="nicegui-link ellipsis block" :href="row.url" target="_blank" rel="noopener noreferrer">{{ row.source }}</a>
        <span v-else class="quiet">{{ row.source }}</span>
        <div v-if="row.tier || row.standing" class="small quiet">
          <span v-if="row.tier" class="tier" :class="row.tier_kind">{{ row.tier }}</span> {{ row.standing }}
        </div>
      </td>
      <td class="work-steps">
        <ol v-if="row.steps.length" class="strip">
          <li v-for="step in row.steps" :class="step.state">
            <span class="strip-words">{{ step.words }}</span>
            <span class="strip-time">{{ step.time }}</span>
          </li>
        </ol>
        <span v-else class="quiet small">{{ row.times }}</span>
      </td>
      <td class="work-state">
        <span class="state" :class="row.state_kind"><q-icon :name="row.state_icon" aria-hidden="true"></q-icon>{{ row.state }}</span>
        <div v-if="row.rest" class="quiet small">{{ row.rest }}</div>
      </td>
      <td class="work-acts">
        <q-btn v-if="row.retry" flat round dense color="secondary" class="quiet" icon="restart_alt" :aria-label="row.retry"
          @click="$emit('retry')"><q-tooltip>{{ row.retry }}</q-tooltip></q-btn>
        <q-btn v-if="row.cancel" flat round dense color="secondary" class="quiet" icon="cancel" :aria-label="row.cancel"
          @click="$emit('cancel')"><q-tooltip>{{ row.cancel }}</q-tooltip></q-btn>
        <q-btn flat round dense color="secondary" class="quiet" icon="info" :aria-label="row.more"
          @click="$emit('more')"><q-tooltip>{{ row.more }}</q-tooltip></q-btn>
      </td>
    </tr>`,
};
