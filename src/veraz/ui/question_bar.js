// The bar one writes in. What is not sent yet stays in this browser, and goes only when the server has taken it.
const stored = (key) => { try { return localStorage.getItem('veraz-draft:' + key) || ''; } catch { return ''; } };
const store = (key, text) => {
  try {
    if (text) localStorage.setItem('veraz-draft:' + key, text);
    else localStorage.removeItem('veraz-draft:' + key);
  } catch { /* a browser that keeps nothing */ }
};

export default {
  template: `
    <div class="question-bar" data-main-field>
      <q-input ref="field" v-model="text" type="textarea" autogrow outlined dense :label="label" maxlength="10000"
        :counter="text.length > 9000"
        class="grow" input-class="question-text" @keydown="pressed" />
      <q-btn v-if="busy" unelevated no-caps color="negative" icon="stop" :label="stopWords" :aria-label="stopWords" @click="$emit('stop')" />
      <q-btn v-else unelevated no-caps color="primary" icon="send" :label="sendWords" :aria-label="sendWords" @click="send" />
    </div>`,
  props: { label: String, sendWords: String, stopWords: String, draft: String, busy: Boolean },
  emits: ['send', 'stop'],
  data() { return { text: '' }; },
  watch: {
    text(value) { store(this.draft, value); },
    draft(key) { this.text = stored(key); },
  },
  mounted() {
    this.text = stored(this.draft);
    this.elsewhere = (event) => {
      const typing = this.$el.contains(document.activeElement);
      if (event.key === 'veraz-draft:' + this.draft && !typing) this.text = event.newValue || '';
    };
    window.addEventListener('storage', this.elsewhere);
    if (matchMedia('(hover: hover)').matches) this.focus();  // on phones the keyboard would hide the page
  },
  unmounted() { window.removeEventListener('storage', this.elsewhere); },
  methods: {
    pressed(event) {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.send();
    },
    send() { if (this.text.trim() && !this.busy) this.$emit('send', this.text); },
    taken(sent, key) {
      store(key, '');
      if (this.text === sent) this.text = '';
    },
    fill(text) { this.text = text; this.focus(); },
    focus() { this.$refs.field.focus(); },
  },
};
