"""The settings that the command line names are declared under these names."""

from openkoi_cli import setting_names
from openkoi_settings import keys


def test_each_name_is_declared_and_each_limit_is_the_setting_of_its_field() -> None:
    named = {value for name, value in vars(setting_names).items() if name.isupper() and isinstance(value, str)}

    assert set() == named - keys.BY_NAME.keys()
    assert setting_names.LIMITS == {field: keys.LIMITS[field].name for field in setting_names.LIMITS}
